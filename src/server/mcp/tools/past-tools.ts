import { z } from 'zod';
import { characterCut, shortened } from '../cut-text.ts';
import type { ToolReply } from '../tool-reply.ts';
import { type CallResult, defineTool, invoke } from './tool.ts';
import { responseReply } from './write-reply.ts';

const reading = { readOnlyHint: true, openWorldHint: false } as const;
const eventId = z.string().min(1);
const path = z.string().min(1).describe('Path of the document from the root of the vault.');

/** How much of a difference one reply may hold, in characters. */
const mostText = 40_000;
/** How many rows of a blame one reply may hold. */
const mostRows = 400;

export const diffDocumentTool = defineTool({
  name: 'diff_document',
  title: 'What changed in a document',
  description:
    'A unified difference: without events what was changed by hand and is not in the log, with `from` what that event changed, with `from` and `to` what differs between the document after the one and after the other. Event ids come from history.',
  annotations: reading,
  input: z.strictObject({ path, from: eventId.optional(), to: eventId.optional() }),
  run: async (context, input) => diffReply(await invoke(context, 'history.diff', input)),
});

const diffReply = ({ diff, from, to }: CallResult<'history.diff'>): ToolReply => {
  const lines = [`from: ${from.hash ?? 'nothing'}`, `to: ${to.hash ?? 'nothing'}`];
  if (diff === null) return { lines: [...lines, 'difference: unknown, because a past content is not kept'] };
  if (diff === '') return { lines: [...lines, 'difference: none'] };
  const end = characterCut(diff, 0, mostText);
  const cut = end < diff.length ? [`cut: ${end} of ${diff.length} characters are shown`] : [];
  return { lines: [...lines, 'difference: below', ...cut], stored: diff.slice(0, end) };
};

export const blameDocumentTool = defineTool({
  name: 'blame_document',
  title: 'Who set what in a document',
  description:
    'Which event gave each frontmatter key its value and each line of the body its text, with who caused it and when. `origin` is event, unrecorded (changed by hand, not in the log) or unknown (older than the history).',
  annotations: reading,
  input: z.strictObject({ path, at: eventId.optional().describe('An event: of the document as it was after it.') }),
  run: async (context, input) => blameReply(await invoke(context, 'history.blame', input)),
});

const blameReply = ({ hash, fields, body, events, complete }: CallResult<'history.blame'>): ToolReply => {
  const rows = [...fields, ...body].slice(0, mostRows);
  const named = new Set(rows.map(({ event_id }) => event_id));
  const shown = events
    .filter(({ event_id }) => named.has(event_id))
    .map(event => ({ ...event, principal_id: shortened(event.principal_id, 300) }));
  const lines = [
    `hash: ${hash}`,
    `complete: ${complete ? 'yes' : 'no, some is older than what the history holds'}`,
    `rows: ${rows.length} of ${fields.length + body.length}`,
  ];
  return { lines, stored: JSON.stringify({ rows, events: shown }) };
};

export const undoEventTool = defineTool({
  name: 'undo_event',
  title: 'Take back what an event did',
  description:
    'Restore what stood in a document before an event, as a new event. Refused when the document has changed since; `force` then restores over what is stored now. Undoing the undo brings the change back.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    event_id: eventId.describe('From history, or from the reply of the tool that made the change.'),
    force: z.boolean().optional(),
    dry_run: z.boolean().optional().describe('Check everything, change nothing.'),
    idempotency_key: z.string().min(1).optional().describe('In place of the one derived from the event and the state of the document.'),
    lease_id: z.string().min(1).optional().describe('From acquire_lease.'),
    operation_id: z.string().min(1).optional(),
    correlation_id: z.string().min(1).optional(),
  }),
  run: async (context, input) => responseReply(await invoke(context, 'history.undo', input), null),
});
