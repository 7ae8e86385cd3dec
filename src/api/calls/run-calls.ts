import { z } from 'zod';
import { parseDocument, parseRecords } from '#document';
import { invalidMember, VaultError } from '#errors';
import { defineCall, limitShape } from '../call.ts';
import { authorizedCaller, callerPrincipal, requireCapabilities } from '../read-rights.ts';
import { readVisible } from '../read-visible.ts';

const name = z.string().min(1).max(500);
const line = z.string().min(1).max(200);

const runRowShape = z.object({
  path: z.string(),
  run_id: z.string().nullable(),
  title: z.string().nullable(),
  workflow_id: z.string().nullable(),
  task_path: z.string().nullable(),
  status: z.string().nullable(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  step_count: z.number().int().nullable(),
  claimed_by: z.string().nullable(),
});

export const listRuns = defineCall({
  name: 'run.list',
  summary: 'Records of runs, the latest first.',
  input: z.strictObject({
    status: line.optional(),
    workflow: name.optional(),
    task: name.optional(),
    limit: limitShape,
    cursor: z.string().optional(),
  }),
  output: z.object({ runs: z.array(runRowShape).readonly(), cursor: z.string().nullable() }),
  handler: async (vault, caller, { cursor, ...filter }) => {
    authorizedCaller(vault, caller, 'ssss:run:read', 'list runs');
    const { rows, next } = await vault.work.runs({ ...filter, after: checkedCursor(cursor) });
    return { runs: rows, cursor: next };
  },
});

const checkedCursor = (cursor: string | undefined): string | undefined => {
  if (cursor === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(cursor);
    if (Array.isArray(value) && value.length === 2 && value.every(part => typeof part === 'string')) return cursor;
  } catch {
    // Told below.
  }
  throw invalidMember('cursor', 'take it from an earlier answer');
};

export const showRun = defineCall({
  name: 'run.show',
  summary: 'One run, step by step.',
  input: z.strictObject({ run: name }),
  output: z.object({
    path: z.string(),
    title: z.string().nullable(),
    status: z.string().nullable(),
    task_path: z.string().nullable(),
    workflow_id: z.string().nullable(),
    steps: z
      .array(
        z.object({ number: z.number().int(), name: z.string(), timestamp: z.string(), status: z.string().nullable(), text: z.string() }),
      )
      .readonly(),
  }),
  handler: async (vault, caller, { run }) => {
    const path = run.replace(/^\//, '');
    const document = await readVisible(vault, callerPrincipal(vault, caller), path);
    const parsed = parseDocument(document.text);
    if (document.type !== 'ssss:run' || parsed.kind !== 'document')
      throw new VaultError('not_found', { path }, `'${path}' is no record of a run.`);
    const { data, body } = parsed.document;
    const member = (key: string): string | null => (typeof data[key] === 'string' ? data[key] : null);
    const steps = parseRecords(body)
      .filter(({ kind }) => kind === 'step')
      .map(({ number, name: title, timestamp, status, text: said }) => ({ number, name: title, timestamp, status, text: said }));
    return {
      path,
      title: member('title'),
      status: member('status'),
      task_path: member('task_path'),
      workflow_id: member('workflow_id'),
      steps,
    };
  },
});

export const showRuntime = defineCall({
  name: 'runtime.status',
  summary: 'What fires next, what was missed, what keeps triggers from firing, and which tasks wait.',
  input: z.strictObject({}),
  output: z.object({
    waits: z.string().nullable(),
    active_triggers: z.number().int(),
    next: z.array(z.object({ workflow_id: z.string(), trigger_id: z.string(), path: z.string(), at: z.string() })).readonly(),
    rows: z
      .array(z.object({ kind: z.enum(['trigger_error', 'missed', 'owner_conflict']), path: z.string(), reason: z.string() }))
      .readonly(),
  }),
  handler: (vault, caller) => {
    const principal = callerPrincipal(vault, caller);
    const needed = ['ssss:workflow:read', 'ssss:trigger:read', 'ssss:assistant:read', 'ssss:task:read'];
    requireCapabilities(principal, needed, 'see what fires');
    return vault.work.status();
  },
});
