import { randomUUID } from 'node:crypto';
import type { CanonicalEvent } from '#adapter-contracts';

/** A digest of the right shape that no content has: one hexadecimal digit, repeated. */
export const sampleHash = (digit: string): string => `sha256:${digit.repeat(64)}`;

/** A whole, valid mutation event with fresh ids; tests override what they are about. */
export const sampleEvent = (overrides: Partial<CanonicalEvent> = {}): CanonicalEvent => ({
  event_id: randomUUID(),
  event_type: 'ssss.mutation',
  schema_version: 1,
  timestamp: '2026-05-16T08:00:00.000Z',
  workspace_id: 'ws-acme',
  primitive_id: 'ssss:memory',
  primitive_version: 1,
  action: 'create',
  subject: 'memory/sample.md',
  principal: {
    id: 'user-42',
    kind: 'human',
    workspaceIds: ['ws-acme'],
    capabilities: ['ssss:memory:*'],
    authentication: { provider: 'test', assurance: 'strong' },
  },
  operation_id: randomUUID(),
  idempotency_key: randomUUID(),
  request_hash: sampleHash('a'),
  correlation_id: randomUUID(),
  causation_id: null,
  before_hash: null,
  after_hash: sampleHash('b'),
  changed_fields: [],
  resource_status: null,
  payload: null,
  ...overrides,
});

export const sampleEvents = (count: number, overrides: Partial<CanonicalEvent> = {}): readonly CanonicalEvent[] =>
  Array.from({ length: count }, () => sampleEvent(overrides));

/** An adopted hand edit of `path` (`hash` null: a hand deletion), as the host records one. */
export const sampleAdoption = (path: string, hash: string | null, overrides: Partial<CanonicalEvent> = {}): CanonicalEvent =>
  sampleEvent({
    event_type: 'document_adopted',
    primitive_id: 'ssss:event',
    action: 'event',
    subject: path,
    after_hash: null,
    payload: {
      event_type: 'document_adopted',
      action: hash === null ? 'delete' : 'replace',
      primitive_id: 'ssss:memory',
      before_hash: sampleHash('b'),
      after_hash: hash,
    },
    ...overrides,
  });
