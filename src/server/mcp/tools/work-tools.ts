import { z } from 'zod';
import { calls } from '#api';
import { inner, readCursor } from '../cursor.ts';
import { rowsThatFit } from './fitting-rows.ts';
import { defineTool, invoke } from './tool.ts';

const working = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

export const listTasksTool = defineTool({
  name: 'list_tasks',
  title: 'List tasks',
  description:
    'Tasks with their status, who works on them, what they wait for and when they are tried again, as JSON rows. `pending` ones for `external` or `assistant` can be claimed with claim_task.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    status: calls['task.list'].input.shape.status,
    workflow: calls['task.list'].input.shape.workflow.describe('The id of a workflow.'),
    limit: z.number().int().min(1).max(200).default(50),
    cursor: z.string().optional().describe('From an earlier reply.'),
  }),
  run: (context, { limit, cursor, ...filter }) =>
    rowsThatFit(limit, async count => {
      const [after] = cursor === undefined ? [] : readCursor(cursor, inner);
      const page = await invoke(context, 'task.list', { ...filter, limit: count, cursor: after });
      return { rows: page.tasks, cursor: page.cursor, noun: 'tasks' };
    }),
});

export const claimTaskTool = defineTool({
  name: 'claim_task',
  title: 'Claim a task',
  description:
    'Take a task to work on, or the next one without `task`. Read task_path and the workflow it names for what to do. Pass task, lease_id and operation_id with append_run_step and finish_task. The claim ends after ttl_seconds (default 60) unless a step or renew_lease keeps it.',
  annotations: working,
  input: calls['task.claim'].input,
  run: async (context, input) => {
    const claim = await invoke(context, 'task.claim', input);
    return {
      lines: ['done: claimed', `lease_id: ${claim.lease_id}`, `operation_id: ${claim.operation_id}`],
      stored: JSON.stringify(claim),
    };
  },
});

export const appendRunStepTool = defineTool({
  name: 'append_run_step',
  title: 'Report a step',
  description:
    'Append one step to the run of a task you claimed: what you did, and in `provenance` the documents that shaped it. Keeps the claim alive. Repeat it with the same `key` when you got no reply.',
  annotations: working,
  input: calls['task.step'].input,
  run: async (context, input) => {
    const step = await invoke(context, 'task.step', input);
    return { lines: ['done: recorded', `step: ${step.step}`, `claim_ends: ${step.expires_at}`], stored: JSON.stringify(step) };
  },
});

export const finishTaskTool = defineTool({
  name: 'finish_task',
  title: 'Finish a task',
  description:
    'End the work on a task you claimed: `done`, `failed` (for good), `pending` (try again later), `waiting_for_human` with your question in `text`, or `canceled`. Repeating it when you got no reply is safe.',
  annotations: { ...working, idempotentHint: true },
  input: calls['task.finish'].input,
  run: async (context, input) => {
    const task = await invoke(context, 'task.finish', input);
    return { lines: [`done: the task is ${task.status}`], stored: JSON.stringify(task) };
  },
});
