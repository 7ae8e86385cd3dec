import { v4 } from 'uuid';
import { z } from 'zod';
import { invalidMember, VaultError } from '#errors';
import { type ClaimTicket, type Ending, executorNames, type Task, taskStatuses } from '#runtime';
import { defineCall, limitShape } from '../call.ts';
import { authorizedCaller, type Caller, requirePerson } from '../read-rights.ts';
import type { Vault } from '../vault.ts';

const name = z.string().min(1).max(500);
const line = z.string().min(1).max(200);
const text = z.string().max(100_000);
const ttl = z.number().positive().max(86_400).optional();
const ticketShape = { task: name, lease_id: name, operation_id: name };

export const fireWorkflow = defineCall({
  name: 'workflow.fire',
  summary: 'Fire a workflow: make one task of it. The same key fires once.',
  input: z.strictObject({ workflow: name, trigger: name.optional(), key: line.optional() }),
  output: z.object({
    outcome: z.enum(['created', 'exists', 'skipped']),
    workflow_id: z.string(),
    trigger_id: z.string(),
    scheduled_for: z.string(),
    task_path: z.string().nullable(),
    event_id: z.string().nullable(),
    reason: z.string().nullable(),
  }),
  handler: async (vault, caller, { workflow, trigger, key }) => {
    const principal = authorizedCaller(vault, caller, 'run:workflow', 'fire workflows');
    const fired = await vault.work.fire({ workflow, trigger: trigger ?? null, key: key ?? v4() }, principal);
    return {
      outcome: fired.outcome === 'failed' ? 'skipped' : fired.outcome,
      workflow_id: fired.trigger.workflow.id,
      trigger_id: fired.trigger.id,
      scheduled_for: fired.scheduledFor,
      task_path: fired.taskPath,
      event_id: fired.eventId,
      reason: fired.reason,
    };
  },
});

const taskRowShape = z.object({
  path: z.string(),
  title: z.string().nullable(),
  status: z.enum(taskStatuses),
  priority: z.number(),
  workflow_id: z.string().nullable(),
  trigger_id: z.string().nullable(),
  scheduled_for: z.string().nullable(),
  attempts: z.number().int(),
  next_attempt_at: z.string().nullable(),
  executor: z.enum(executorNames),
  claimed_by: z.string().nullable(),
  run_path: z.string().nullable(),
  question: z.string().nullable(),
  blocked: z.string().nullable(),
});

export const listTasks = defineCall({
  name: 'task.list',
  summary: 'Tasks with who works on them, what they wait for and when they are tried again.',
  input: z.strictObject({
    status: z.enum(taskStatuses).optional(),
    workflow: name.optional(),
    limit: limitShape,
    cursor: z.string().optional(),
  }),
  output: z.object({ tasks: z.array(taskRowShape).readonly(), cursor: z.string().nullable() }),
  handler: async (vault, caller, { cursor, ...filter }) => {
    authorizedCaller(vault, caller, 'ssss:task:read', 'list tasks');
    const { rows, next } = await vault.work.tasks({ ...filter, after: cursor });
    return { tasks: rows, cursor: next };
  },
});

export const claimTask = defineCall({
  name: 'task.claim',
  summary: 'Claim a task, or the next one, and begin its run; the lease and the operation id go along with every report.',
  input: z.strictObject({ task: name.optional(), worker: line, ttl_seconds: ttl }),
  output: z.object({ task_path: z.string(), run_path: z.string(), lease_id: z.string(), operation_id: z.string() }),
  handler: async (vault, caller, { task, worker, ttl_seconds: ttlSeconds }) => {
    const principal = authorizedCaller(vault, caller, 'run:task', 'claim tasks');
    const claim = await vault.work.claim({ task: task === undefined ? null : pathOf(task), worker, ttlSeconds }, principal);
    if (claim === null) throw new VaultError('not_found', { path: 'tasks' }, 'There is no task to claim now.');
    return claim;
  },
});

export const reportStep = defineCall({
  name: 'task.step',
  summary: 'Append one step to the run of a claimed task; also keeps the claim alive.',
  input: z.strictObject({
    ...ticketShape,
    text,
    /** One line. */
    name: line.default('step'),
    status: z.enum(['ok', 'failed', 'waiting', 'note']).default('ok'),
    /** Paths of documents that shaped the step. */
    provenance: z.array(name).max(100).optional(),
    /** The same key is the same step. */
    key: line.optional(),
    ttl_seconds: ttl,
  }),
  output: z.object({ run_path: z.string(), step: z.number().int(), expires_at: z.string() }),
  handler: async (vault, caller, input) => {
    const { text: said, name: title, status, provenance, key, ttl_seconds: ttlSeconds } = input;
    const step = { name: title, status, text: said, ...(provenance === undefined ? {} : { provenance }) };
    const { runPath, number, expiresAt } = await vault.work.step(ticketOf(vault, caller, input), step, { key, ttlSeconds });
    return { run_path: runPath, step: number, expires_at: expiresAt };
  },
});

const finishStatuses = ['done', 'failed', 'pending', 'waiting_for_human', 'canceled'] as const;
const taskShape = z.object({
  task_path: z.string(),
  status: z.enum(taskStatuses),
  attempts: z.number().int(),
  next_attempt_at: z.string().nullable(),
  run_path: z.string().nullable(),
});

export const finishTask = defineCall({
  name: 'task.finish',
  summary: 'End the run of a claimed task: done, failed, pending (to be tried again), waiting_for_human, canceled.',
  input: z.strictObject({
    ...ticketShape,
    status: z.enum(finishStatuses),
    /** What was done, what went wrong, or what a person is asked. */
    text: text.optional(),
    retry_after_seconds: z.number().min(0).max(86_400).optional(),
  }),
  output: taskShape,
  handler: async (vault, caller, input) => shownTask(await vault.work.finish(ticketOf(vault, caller, input), endingOf(input))),
});

const endingOf = ({
  status,
  text: said = '',
  retry_after_seconds: after,
}: {
  status: (typeof finishStatuses)[number];
  text?: string | undefined;
  retry_after_seconds?: number | undefined;
}): Ending => {
  switch (status) {
    case 'done':
      return { kind: 'succeeded', summary: said };
    case 'canceled':
      return { kind: 'canceled', reason: said };
    case 'waiting_for_human':
      if (said.trim() === '') throw invalidMember('text', 'say what the person is asked');
      return { kind: 'waiting_for_human', question: said };
    default:
      return { kind: 'failed', reason: said, retry: status === 'pending', ...(after === undefined ? {} : { retryAfterMs: after * 1000 }) };
  }
};

export const cancelTask = defineCall({
  name: 'task.cancel',
  summary: 'End the work on a task for good, whoever is at it.',
  input: z.strictObject({ task: name, reason: text.default('canceled') }),
  output: taskShape,
  handler: async (vault, caller, { task, reason }) => {
    const { id } = authorizedCaller(vault, caller, 'run:workflow', 'cancel tasks');
    return shownTask(await vault.work.cancel(pathOf(task), `canceled by ${id}: ${reason}`));
  },
});

export const decideTask = defineCall({
  name: 'task.decide',
  summary: 'Answer what a run asks: a person approves, and it goes on, or rejects, and it ends.',
  input: z.strictObject({ task: name, approve: z.boolean(), reason: text }),
  output: taskShape,
  handler: async (vault, caller, { task, approve, reason }) => {
    const principal = authorizedCaller(vault, caller, 'run:approve', 'decide about tasks');
    requirePerson(principal, 'decide about tasks');
    return shownTask(await vault.work.decide(pathOf(task), { approved: approve, by: principal.id, reason }));
  },
});

/** The claim as its holder presents it; whether it holds is decided by the lease. */
const ticketOf = (
  vault: Vault,
  caller: Caller,
  input: { readonly task: string; readonly lease_id: string; readonly operation_id: string },
): ClaimTicket => {
  const { id } = authorizedCaller(vault, caller, 'run:task', 'report on tasks');
  return { taskPath: pathOf(input.task), lease_id: input.lease_id, operation_id: input.operation_id, principal_id: id };
};

const pathOf = (given: string): string => given.replace(/^\//, '');

const shownTask = ({ path, status, attempts, notBefore, runPath }: Task): z.output<typeof taskShape> => ({
  task_path: path,
  status,
  attempts,
  next_attempt_at: status === 'pending' && notBefore > 0 ? new Date(notBefore).toISOString() : null,
  run_path: runPath,
});
