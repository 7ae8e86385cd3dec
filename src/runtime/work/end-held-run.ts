import { VaultError } from '#errors';
import type { RuntimeHost } from '../daemon/runtime-host.ts';
import { isoSeconds } from '../planning/firing.ts';
import { accepted, type Held, readRunOf, readTaskAt, type StoredWork, statusOf, workKey, writeHeld } from './held-task.ts';
import { type Ending, endRun, taskAfter } from './run-ending.ts';
import { openRunStatuses, stepsIn, stepText } from './run-record.ts';
import type { Task } from './task.ts';

/**
 * Ends the try that a held task is in: the run first, then the event of a terminal failure, then the task (§11.8 step 7). Whoever dies between leaves a
 * run that says how it ended, from which the next one to look finishes the task, so no success is ever run again.
 */
export const endHeldRun = async (host: RuntimeHost, held: Held, task: Task, ending: Ending): Promise<Task> => {
  const run = await readRunOf(host, task);
  if (run === null) return settleWithoutRun(host, held, task, ending);
  if (mayClose(statusOf(run), ending)) await closeRun(host, held, task, run, ending);
  return settleTask(host, held, task);
};

/** What waits for a person ends only by a person's word. */
const mayClose = (status: string, { kind }: Ending): boolean =>
  openRunStatuses.has(status) || (status === 'waiting_for_human' && (kind === 'canceled' || kind === 'failed'));

const closeRun = async (host: RuntimeHost, held: Held, task: Task, run: StoredWork, ending: Ending): Promise<void> => {
  const now = host.now();
  const { step, patches } = endRun(task, ending, now);
  // Beside the question, where only the runtime writes: who may patch the task could name somebody else there.
  const asker = ending.kind === 'waiting_for_human' ? { x_asked_by: held.principal_id } : {};
  const number = stepsIn(run.body) + 1;
  accepted(
    await writeHeld(host, held, {
      type: 'patch',
      path: run.path,
      key: workKey('end', host.workspaceId, run.path, held.lease_id, number),
      ifMatch: run.hash,
      patches: { ...patches, ...asker, step_count: number, timestamp: isoSeconds(now), __body__: stepText(number, step, now) },
    }),
  );
};

/** Makes the task say what its last run says. */
export const settleTask = async (host: RuntimeHost, held: Held, task: Task): Promise<Task> => {
  const run = await readRunOf(host, task);
  const patches = run === null ? null : taskAfter(run.data, host.now());
  if (run === null || patches === null) throw new VaultError('version_conflict', { path: task.path }, `The run of '${task.path}' goes on.`);
  if (run.data['status'] === 'dead_letter') await recordDeadLetter(host, held, task, run);
  return patchTask(host, held, task, patches, run.path);
};

const settleWithoutRun = async (host: RuntimeHost, held: Held, task: Task, ending: Ending): Promise<Task> => {
  const { patches } = endRun(task, ending, host.now());
  const after = taskAfter(patches, host.now());
  return after === null ? task : patchTask(host, held, task, after, '');
};

/** Says once, for everybody who looks for it, that work was given up (§11.8 retries). */
const recordDeadLetter = async (host: RuntimeHost, held: Held, task: Task, run: StoredWork): Promise<void> => {
  const content = {
    event_type: 'ssss.runtime.dead_letter',
    task_path: task.path,
    run_path: run.path,
    workflow_id: task.workflowId,
    trigger_id: task.triggerId,
    attempts: task.attempts,
    reason: run.data['x_reason'] ?? null,
  };
  accepted(
    await writeHeld(host, held, {
      type: 'event',
      path: task.path,
      key: workKey('dead', host.workspaceId, run.path, run.data['run_id'] ?? null),
      content: JSON.stringify(content),
    }),
  );
};

/** Patches a held task and gives it as it is then. */
export const patchTask = async (
  host: RuntimeHost,
  held: Held,
  task: Task,
  patches: Readonly<Record<string, unknown>>,
  basis: string,
): Promise<Task> => {
  const cleared = task.blocked === null ? {} : { x_blocked: null, x_deferrals: 0 };
  accepted(
    await writeHeld(host, held, {
      type: 'patch',
      path: task.path,
      key: workKey('turn', host.workspaceId, task.path, held.lease_id, task.hash, basis),
      ifMatch: task.hash,
      patches: { ...cleared, ...patches },
    }),
  );
  return readTaskAt(host, task.path);
};
