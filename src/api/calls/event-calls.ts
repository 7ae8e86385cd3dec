import { z } from 'zod';
import type { CanonicalEvent } from '#adapter-contracts';
import { VaultError } from '#errors';
import { defineCall, limitShape } from '../call.ts';
import { eventFilter } from '../event-filter.ts';
import { authorizedCaller } from '../read-rights.ts';

const principalShape = z.object({
  id: z.string(),
  kind: z.enum(['human', 'agent', 'service', 'system']),
  workspaceIds: z.array(z.string()).readonly(),
  capabilities: z.array(z.string()).readonly(),
  authentication: z.object({ provider: z.string(), assurance: z.string().optional() }),
});

/** §8.2, field for field. */
export const eventShape = z.object({
  event_id: z.string(),
  event_type: z.string(),
  schema_version: z.literal(1),
  timestamp: z.string(),
  workspace_id: z.string(),
  primitive_id: z.string(),
  primitive_version: z.number(),
  action: z.enum(['create', 'replace', 'patch', 'append', 'event', 'delete']),
  subject: z.string(),
  principal: principalShape,
  operation_id: z.string(),
  idempotency_key: z.string(),
  request_hash: z.string(),
  correlation_id: z.string(),
  causation_id: z.string().nullable(),
  before_hash: z.string().nullable(),
  after_hash: z.string().nullable(),
  changed_fields: z.array(z.string()).readonly(),
  resource_status: z.literal('prepared').nullable(),
  payload: z.unknown(),
});

const unknownEvent = (id: string): VaultError<'not_found'> =>
  new VaultError('not_found', { path: id }, `The log holds no event and no correlation '${id}'.`);

export const listEvents = defineCall({
  name: 'event.list',
  summary: 'Events in log order, all or those of a subject, a correlation or a time.',
  input: z.strictObject({
    cursor: z.string().optional(),
    subject: z.string().min(1).optional(),
    correlation_id: z.string().min(1).optional(),
    since: z.string().optional(),
    limit: limitShape,
  }),
  /** `cursor` continues behind what was looked at, so that asking again reads nothing twice; `more` says whether there is more to give now. */
  output: z.object({ events: z.array(eventShape), cursor: z.string().nullable(), more: z.boolean() }),
  handler: async (vault, caller, input) => {
    authorizedCaller(vault, caller, 'read:event', 'read the event log');
    const events: CanonicalEvent[] = [];
    let cursor = input.cursor ?? null;
    const matches = eventFilter({
      ...(input.subject === undefined ? {} : { subject: input.subject }),
      ...(input.correlation_id === undefined ? {} : { correlationId: input.correlation_id }),
      ...(input.since === undefined ? {} : { since: input.since }),
    });
    for await (const replayed of vault.events(input.cursor === undefined ? {} : { cursor: input.cursor })) {
      if (matches(replayed.event)) {
        if (events.length === input.limit) return { events, cursor, more: true };
        events.push(replayed.event);
      }
      cursor = replayed.cursor;
    }
    return { events, cursor, more: false };
  },
});

export const showEvent = defineCall({
  name: 'event.show',
  summary: 'One event by its id.',
  input: z.strictObject({ event_id: z.string().min(1) }),
  output: eventShape,
  handler: async (vault, caller, input) => {
    authorizedCaller(vault, caller, 'read:event', 'read the event log');
    const event = await vault.event(input.event_id);
    if (event === null || event.workspace_id !== vault.workspaceId) throw unknownEvent(input.event_id);
    return event;
  },
});

export const traceEvent = defineCall({
  name: 'event.trace',
  summary: 'The causal tree of an event or a correlation: parents before children.',
  input: z.strictObject({ id: z.string().min(1) }),
  output: z.object({
    query: z.string(),
    by: z.enum(['event', 'correlation']),
    nodes: z
      .array(
        z.object({
          event: eventShape,
          depth: z.number().int(),
          children: z.array(z.string()).readonly(),
          focus: z.boolean(),
          note: z.string().optional(),
        }),
      )
      .readonly(),
  }),
  handler: async (vault, caller, { id }) => {
    authorizedCaller(vault, caller, 'read:event', 'trace events');
    const tree = await vault.trace(id);
    if (tree.nodes.length === 0) throw unknownEvent(id);
    return tree;
  },
});
