import { VaultError } from '#errors';
import type { RuntimeHost } from '../daemon/runtime-host.ts';
import type { HumanDecision } from '../executors/executor.ts';
import { isoSeconds } from '../planning/firing.ts';
import { isRuntimes, runtimePrincipalId } from '../runtime-principal.ts';
import { endHeldRun, patchTask, settleTask } from './end-held-run.ts';
import {
  accepted,
  type Held,
  hold,
  letGo,
  readRunOf,
  readTaskAt,
  readWork,
  type StoredWork,
  statusOf,
  workKey,
  writeHeld,
} from './held-task.ts';
import { openRunStatuses, stepsIn, stepText } from './run-record.ts';
import type { Task } from './task.ts';

/** Runs `work` with the claim on a task, whoever works on it: a worker's own claim is taken from it, so that it writes nothing any more. */
const takeOver = async <T>(host: RuntimeHost, path: string, work: (held: Held, task: Task) => Promise<T>): Promise<T> => {
  const live = await host.leases.current(host.workspaceId, path);
  if (live !== null) {
    const stored = await readWork(host, path);
    // A lease that nobody took to work on the task is somebody's own business.
    if (stored?.data['claim_id'] === live.lease_id) await host.leases.release(host.workspaceId, path, live);
  }
  const held = await hold(host, path, { principalId: runtimePrincipalId });
  try {
    return await work(held, await readTaskAt(host, path));
  } finally {
    await letGo(host, held);
  }
};

/** Ends the work on a task for good (§11.8): the run is `canceled`, the task `failed`. A task that has ended stays as it is. */
export const cancelTask = async (host: RuntimeHost, path: string, reason: string): Promise<Task> => {
  await readTaskAt(host, path);
  return takeOver(host, path, async (held, task) => {
    if (task.status === 'done' || task.status === 'failed') return task;
    const run = await readRunOf(host, task);
    const status = statusOf(run);
    // A try that has ended stays as it ended; no other follows.
    if (task.status === 'pending' && !openRunStatuses.has(status) && status !== 'waiting_for_human')
      return patchTask(
        host,
        held,
        task,
        { status: 'failed', x_reason: `canceled: ${reason}`, timestamp: isoSeconds(host.now()) },
        'cancel',
      );
    return endHeldRun(host, held, task, { kind: 'canceled', reason });
  });
};

/** Closes what a worker that is gone has left open; the task rests until its next try. False while somebody works on it. */
export const closeInterrupted = async (host: RuntimeHost, path: string): Promise<boolean> => {
  if ((await host.leases.current(host.workspaceId, path)) !== null) return false;
  const held = await hold(host, path, { principalId: runtimePrincipalId });
  try {
    const task = await readTaskAt(host, path);
    if (task.status !== 'in_progress') return false;
    await endHeldRun(host, held, task, { kind: 'interrupted' });
    return true;
  } finally {
    await letGo(host, held);
  }
};

const wordsKey = (key: string): string => `${key}-words`;

/**
 * The decision that let a run go on: only as the log has it, under the runtime's own keys, and only while nobody wrote to the run since. What a document
 * says of a decision is for people to read; whoever may patch a task could write it.
 */
export const decisionOn = async (host: RuntimeHost, runPath: string, runHash: string): Promise<HumanDecision | null> => {
  const last = await host.events.lastRecorded(host.workspaceId, runPath);
  const event = last === null || last.hash !== runHash ? null : await host.events.findById(last.event_id);
  if (event === null || !isRuntimes(event) || !event.idempotency_key.startsWith('runtime-decide-')) return null;
  const words = await host.events.findByIdempotencyKey(host.workspaceId, wordsKey(event.idempotency_key));
  if (words === null || !isRuntimes(words)) return null;
  const { approved, by, reason, question } = words.payload as HumanDecision;
  return { approved, by, reason, question };
};

/** What a run asked and who asks, as the runtime wrote it last; null where somebody wrote to the run since, for then nobody knows either. */
const questionOf = async (
  host: RuntimeHost,
  run: StoredWork,
): Promise<{ readonly question: string; readonly asker: string | null } | null> => {
  const last = await host.events.lastRecorded(host.workspaceId, run.path);
  const event = last === null || last.hash !== run.hash ? null : await host.events.findById(last.event_id);
  const question = run.data['x_question'];
  if (event === null || !isRuntimes(event) || typeof question !== 'string') return null;
  const asker = run.data['x_asked_by'];
  return { question, asker: typeof asker === 'string' ? asker : null };
};

/** A person's answer to what a run asks; see `HumanDecision`. Approved work goes on in the same run, rejected work ends. */
export const decideTask = async (
  host: RuntimeHost,
  path: string,
  decision: { readonly approved: boolean; readonly by: string; readonly reason: string },
): Promise<Task> => {
  await readTaskAt(host, path);
  return takeOver(host, path, async (held, found) => {
    // Whoever asked may have died before the task said so.
    const task = found.status === 'in_progress' ? await settleTask(host, held, found) : found;
    const run = await readRunOf(host, task);
    if (task.status !== 'pending' || task.waits === null || run === null)
      throw new VaultError('version_conflict', { path }, `'${path}' does not wait for a decision.`);
    const asked = await questionOf(host, run);
    if (task.waits !== asked?.question)
      throw new VaultError(
        'version_conflict',
        { path },
        `The question of '${path}' is not what its run asked: nobody decides about it; cancel it.`,
      );
    if (decision.by === asked.asker || decision.by === task.claimedAs)
      throw new VaultError('forbidden', {}, `'${decision.by}' asked for this decision, so somebody else makes it.`);
    const said = { approved: decision.approved, by: decision.by, reason: decision.reason, question: task.waits };
    if (!decision.approved) {
      const reason = `rejected by ${decision.by}: ${decision.reason}`;
      return endHeldRun(host, held, task, { kind: 'failed', reason, retry: false });
    }
    const now = host.now();
    const number = stepsIn(run.body) + 1;
    const step = { name: 'approved', status: 'ok', text: `${decision.by}: ${decision.reason}` } as const;
    const key = workKey('decide', host.workspaceId, run.path, held.lease_id);
    // First what was said, so that whoever finds the run approved finds the words, too.
    accepted(
      await writeHeld(host, held, {
        type: 'event',
        path: run.path,
        key: wordsKey(key),
        content: JSON.stringify({ event_type: 'ssss.runtime.decision', ...said }),
      }),
    );
    accepted(
      await writeHeld(host, held, {
        type: 'patch',
        path: run.path,
        key,
        ifMatch: run.hash,
        patches: { status: 'queued', step_count: number, timestamp: isoSeconds(now), __body__: stepText(number, step, now) },
      }),
    );
    return patchTask(host, held, task, { x_waiting_for_human: null, x_decision: said, timestamp: isoSeconds(now) }, 'decide');
  });
};
