import { z } from 'zod';
import { type CallKey, keyOfCall } from '../idempotency-key.ts';
import type { ToolReply } from '../tool-reply.ts';
import { callerId, defineTool, invoke } from './tool.ts';
import { responseReply } from './write-reply.ts';

const writing = { readOnlyHint: false, openWorldHint: false } as const;
const flow = {
  dry_run: z.boolean().optional().describe('Check everything, change nothing.'),
  correlation_id: z.string().min(1).optional(),
};

/** How much JSON one reply may hold. */
const budget = 40_000;

/** An answer as JSON. Of lists that are too long for one reply the first rows stay, and a line says how many there are. */
const boundedReply = (lines: readonly string[], answer: Readonly<Record<string, unknown>>): ToolReply => {
  const whole = JSON.stringify(answer);
  if (whole.length <= budget) return { lines, stored: whole };
  const lists = Object.entries(answer).filter((entry): entry is [string, readonly unknown[]] => Array.isArray(entry[1]));
  const share = budget / Math.max(lists.length, 1);
  const kept = lists.map(([name, rows]): [string, readonly unknown[]] => {
    let size = 0;
    const fitting = rows.filter(row => {
      size += JSON.stringify(row).length + 1;
      return size <= share;
    });
    return [name, fitting];
  });
  const cut = lists.flatMap(([name, rows], index) => {
    const shown = kept[index]?.[1].length ?? 0;
    return shown < rows.length ? [`${name}: ${shown} of ${rows.length}`] : [];
  });
  return { lines: [...lines, ...cut], stored: JSON.stringify({ ...answer, ...Object.fromEntries(kept) }) };
};

export const moveDocumentTool = defineTool({
  name: 'move_document',
  title: 'Move a document',
  description:
    'Give a document, or every document of a directory, another path and rewrite every link to it. Needs the right to read everything and to write whatever changes. An interrupted move is finished by the same call. Threads, conversations and runs cannot move.',
  annotations: { ...writing, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    from: z.string().min(1).describe('The document, or a directory.'),
    to: z.string().min(1).describe('Its new path; with / at the end, or a directory, the name is kept.'),
    ...flow,
  }),
  run: async (context, input) => {
    const report = await invoke(context, 'document.move', input);
    const outcome = report.dry_run
      ? 'rehearsed: nothing was changed'
      : report.complete
        ? 'done: moved'
        : 'unfinished: the same call goes on';
    return boundedReply([outcome], report);
  },
});

export const checkMemoryTool = defineTool({
  name: 'check_memory',
  title: 'Find contradicting memories',
  description:
    'Pairs of memories that contradict or repeat each other. With record: a conflict document for each pair that has none; it keeps the newer memory from becoming active until resolve_conflict.',
  annotations: { ...writing, destructiveHint: false, idempotentHint: true },
  input: z.strictObject({ record: z.boolean().optional(), ...flow }),
  run: async (context, input) => {
    const report = await invoke(context, 'memory.check', input);
    return boundedReply([`pairs: ${report.pairs.length}`], report);
  },
});

export const resolveConflictTool = defineTool({
  name: 'resolve_conflict',
  title: 'Resolve a conflict of memories',
  description: 'Keep the new memory, the existing one, or both: what is not kept is marked as superseded, and the conflict as resolved.',
  annotations: { ...writing, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    conflict: z.string().min(1).describe('A conflict_id, or the path of the conflict document.'),
    keep: z.enum(['new', 'existing', 'both']),
    ...flow,
  }),
  run: async (context, input) => {
    const resolved = await invoke(context, 'memory.resolve', input);
    return boundedReply([resolved.dry_run ? 'rehearsed: nothing was changed' : 'done: resolved'], resolved);
  },
});

export const recordFeedbackTool = defineTool({
  name: 'record_feedback',
  title: 'Say how good something was',
  description: 'Record in the log how good a document, a run or a reply was, from 0 (bad) to 1 (good).',
  annotations: { ...writing, destructiveHint: false },
  input: z.strictObject({
    subject: z.string().min(1).describe('The path of what it is about.'),
    score: z.number().min(-1).max(1).describe('0 (bad) to 1 (good); -1 for a thumb down.'),
    comment: z.string().optional().describe('Why, for people.'),
    record: z.number().int().min(1).optional().describe('The number of the turn or step that it is about.'),
    idempotency_key: z.string().min(1).optional().describe('Give one of your own to be able to retry: the same feedback then counts once.'),
    ...flow,
  }),
  run: async (context, input) => {
    const key: CallKey = keyOfCall(callerId(context), 'record_feedback', input);
    return responseReply(await invoke(context, 'feedback.give', { ...input, idempotency_key: key.key }), key);
  },
});
