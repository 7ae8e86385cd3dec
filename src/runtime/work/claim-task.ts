import { isVaultError, VaultError } from '#errors';
import type { RuntimeHost } from '../daemon/runtime-host.ts';
import type { HumanDecision } from '../executors/executor.ts';
import { isoSeconds } from '../planning/firing.ts';
import { decisionOn } from './cancel-task.ts';
import { endHeldRun, patchTask } from './end-held-run.ts';
import { eachClaimable, earlierWorkOf } from './find-claimable.ts';
import { accepted, type Held, hold, letGo, readRunOf, readTaskAt, workKey, writeHeld } from './held-task.ts';
import { newRunText, runPathOf } from './run-record.ts';
import type { ExecutorName, Task } from './task.ts';

export interface ClaimRequest {
  /** A task by path; null = the next one. */
  readonly task: string | null;
  /** Who works, for people. */
  readonly worker: string;
  /** The principal that holds the claim and alone may report on it. */
  readonly principalId: string;
  /** Which kinds of work the next one may be. */
  readonly executors: readonly ExecutorName[];
  readonly ttlSeconds?: number | undefined;
}

/** A task that is being worked on. */
export interface ClaimedTask {
  readonly held: Held;
  readonly task: Task;
  readonly runPath: string;
  /** What a person decided, when the run goes on after that. */
  readonly decision: HumanDecision | null;
}

/**
 * Claims a task by a lease, closes what a worker before left open, and begins the record of a new try (§11.8 steps 5 and 6). Null when there is nothing
 * to claim. Throws `not_found`, `lease_conflict` while somebody else works on the named task, and `version_conflict` when it is not to be worked on now.
 */
export const claimTask = async (host: RuntimeHost, request: ClaimRequest): Promise<ClaimedTask | null> => {
  await host.projections.level();
  if (request.task !== null) return claimNamed(host, request, request.task);
  for await (const { path } of eachClaimable(host, request.executors)) {
    try {
      const claimed = await claimNamed(host, request, path);
      if (claimed !== null) return claimed;
    } catch (error) {
      // Somebody else was faster, or the task is not what it was a moment ago.
      if (!isVaultError(error) || !passedOver.has(error.code)) throw error;
    }
  }
  return null;
};

const passedOver: ReadonlySet<string> = new Set(['lease_conflict', 'version_conflict', 'not_found', 'idempotency_conflict']);

const claimNamed = async (host: RuntimeHost, request: ClaimRequest, path: string): Promise<ClaimedTask | null> => {
  await readTaskAt(host, path);
  const held = await hold(host, path, request);
  try {
    const task = await readyTask(host, held, await readTaskAt(host, path));
    if (task !== null) return await beginRun(host, held, task, request);
  } catch (error) {
    await letGo(host, held);
    throw error;
  }
  await letGo(host, held);
  if (request.task === null) return null;
  throw notNow(path, 'its last try had ended, and nothing is to be done now');
};

/** The task as it may be begun; null when what was left open settled it. Throws `version_conflict` when it must not be begun now. */
const readyTask = async (host: RuntimeHost, held: Held, found: Task): Promise<Task | null> => {
  const task = found.status === 'in_progress' ? await closeLeftover(host, held, found) : found;
  const { path, status, waits, notBefore } = task;
  if (status === 'done' || status === 'failed') {
    if (task !== found) return null;
    throw notNow(path, `it is ${status}`);
  }
  if (waits !== null) throw notNow(path, `it waits for a person: ${waits}`);
  // Of the claim's own making, that is: the worker was gone, and somebody is here to go on.
  if (notBefore > host.now() && task === found) throw notNow(path, `its next try is at ${isoSeconds(notBefore)}`);
  const earlier = await host.projections.read(db => earlierWorkOf(db, path));
  if (earlier !== null) throw notNow(path, `earlier work of its trigger comes first: ${earlier}`);
  return task;
};

const notNow = (path: string, why: string): VaultError<'version_conflict'> =>
  new VaultError('version_conflict', { path }, `'${path}' is not to be worked on now: ${why}.`);

/** Closes, visibly, the try whose worker is gone; the lease that it held has ended, or it could not be held now. */
const closeLeftover = (host: RuntimeHost, held: Held, task: Task): Promise<Task> => endHeldRun(host, held, task, { kind: 'interrupted' });

const beginRun = async (host: RuntimeHost, held: Held, task: Task, request: ClaimRequest): Promise<ClaimedTask> => {
  const resumed = await resumable(host, task);
  const number = resumed === null ? await nextRunNumber(host, task) : null;
  const runPath = resumed?.path ?? runPathOf(task.path, number!);
  const now = host.now();
  const attempts = resumed === null ? task.attempts + 1 : task.attempts;
  const begun = await patchTask(
    host,
    held,
    task,
    {
      status: 'in_progress',
      attempts,
      claim_id: held.lease_id,
      claimed_by: request.worker,
      claimed_at: isoSeconds(now),
      timestamp: isoSeconds(now),
      x_claimed_as: request.principalId,
      x_run_path: runPath,
    },
    'claim',
  );
  if (resumed === null) {
    const content = newRunText(begun, {
      workspaceId: host.workspaceId,
      number: number!,
      attempt: attempts,
      worker: request.worker,
      now,
    });
    const key = workKey('run', host.workspaceId, runPath, held.lease_id);
    accepted(await writeHeld(host, held, { type: 'operation', path: runPath, key, content, ifMatch: null }));
  }
  return { held, task: begun, runPath, decision: resumed?.decision ?? null };
};

/** The run that a person let go on, with the decision; null when there is none. */
const resumable = async (host: RuntimeHost, task: Task): Promise<{ readonly path: string; readonly decision: HumanDecision } | null> => {
  const run = await readRunOf(host, task);
  if (run?.data['status'] !== 'queued') return null;
  const decision = await decisionOn(host, run.path, run.hash);
  return decision === null ? null : { path: run.path, decision };
};

const mostRuns = 10_000;

const nextRunNumber = async (host: RuntimeHost, task: Task): Promise<number> => {
  for (let number = task.attempts + 1; number < mostRuns; number += 1) {
    if ((await host.read(runPathOf(task.path, number))) === null) return number;
  }
  throw notNow(task.path, `there are ${mostRuns} records of runs`);
};
