import { expect, test } from 'vitest';
import type { CanonicalEvent } from '#adapter-contracts';
import type { Value } from '#document';
import { matchesEvent } from './matches-event.ts';
import type { Selector } from './trigger.ts';

const event = (members: Partial<CanonicalEvent> = {}): CanonicalEvent => ({
  event_id: 'e1',
  event_type: 'ssss.event',
  schema_version: 1,
  timestamp: '2026-05-16T08:00:00Z',
  workspace_id: 'ws',
  primitive_id: 'ssss:event',
  primitive_version: 1,
  action: 'event',
  subject: 'orders/a/b',
  principal: { id: 'u1', kind: 'human', workspaceIds: ['ws'], capabilities: [], authentication: { provider: 't', assurance: 'verified' } },
  operation_id: 'o',
  idempotency_key: 'k',
  request_hash: 'h',
  correlation_id: 'c',
  causation_id: null,
  before_hash: null,
  after_hash: null,
  changed_fields: [],
  resource_status: null,
  payload: { event_type: 'paid', amount: 5, note: null },
  ...members,
});

const selector = (type: 'event' | 'file_change', subject: string | null, match: Readonly<Record<string, Value>> = {}): Selector => ({
  type,
  subject,
  match: new Map(Object.entries(match)),
});

test.each<[string, string | null, Readonly<Record<string, Value>>, boolean]>([
  ['a glob over segments', 'orders/**', {}, true],
  ['a star stays within its segment', 'orders/*', {}, false],
  ['every entry must hold', 'orders/**', { 'principal.kind': 'human', action: 'patch' }, false],
  ['a literal of another type is another value', null, { 'payload.amount': '5' }, false],
  ['a literal of the same type', null, { 'payload.amount': 5 }, true],
  ['one of a list', null, { 'principal.kind': ['agent', 'human'] }, true],
  ['none of a list', null, { 'principal.kind': ['agent', 'service'] }, false],
  ['null matches an explicit null', null, { 'payload.note': null }, true],
  ['null does not match what is absent', null, { 'payload.none': null }, false],
  ['members that are inherited do not count', null, { 'payload.constructor.name': 'Object' }, false],
  ['a path through a text leads nowhere', null, { 'subject.length': 10 }, false],
  ['neither subject nor match: nothing', null, {}, false],
])('%s', (_, subject, match, expected) => {
  expect(matchesEvent(selector('event', subject, match), event())).toBe(expected);
});

test('a change of a file is a mutation or an adopted hand edit, not any event about its path', () => {
  const change = selector('file_change', 'rules/*.md');
  const hash = `sha256:${'a'.repeat(64)}`;
  expect(matchesEvent(change, event({ subject: 'rules/a.md', action: 'patch', after_hash: hash }))).toBe(true);
  expect(matchesEvent(change, event({ subject: 'rules/a.md', action: 'delete' }))).toBe(true);
  expect(matchesEvent(change, event({ subject: 'rules/a.md', payload: { event_type: 'document_adopted', after_hash: hash } }))).toBe(true);
  expect(matchesEvent(change, event({ subject: 'rules/a.md', payload: { event_type: 'read' } }))).toBe(false);
  expect(matchesEvent(change, event({ subject: 'notes/a.md', action: 'patch', after_hash: hash }))).toBe(false);
});

test('triggers of other types never fire on an event', () => {
  expect(matchesEvent({ type: 'manual' }, event())).toBe(false);
  expect(matchesEvent({ type: 'condition', when: 'true' }, event())).toBe(false);
});
