import { isVaultError, reasonOf } from '#errors';
import type { RuntimeHost } from '../daemon/runtime-host.ts';
import type { Execution, ExecutionOutcome, Executor, RunVault } from '../executors/executor.ts';
import { isoSeconds } from '../planning/firing.ts';
import { runtimePrincipalId } from '../runtime-principal.ts';
import { type ClaimedTask, claimTask } from './claim-task.ts';
import { endHeldRun, patchTask } from './end-held-run.ts';
import { type Claimable, eachClaimable } from './find-claimable.ts';
import { type Held, hold, holderOf, letGo, readTaskAt } from './held-task.ts';
import { reportStep } from './report-step.ts';
import { retryDelay } from './retry-delay.ts';
import type { ExecutorName } from './task.ts';
import { readWorkDocuments, type WorkDocuments } from './work-documents.ts';

interface WorkerParts {
  readonly host: RuntimeHost;
  readonly executors: readonly Executor[];
  /** Who works, for people. */
  readonly worker: string;
  /** The vault with the rights of one run. */
  runVault(run: { readonly held: Held; readonly runPath: string; readonly documents: WorkDocuments }): Promise<RunVault>;
  /** How long a claim lives without a heartbeat. */
  readonly ttlSeconds?: number;
}

/** What one turn of a worker did. */
export type Turn =
  | { readonly kind: 'idle' }
  | { readonly kind: 'ran'; readonly taskPath: string; readonly runPath: string; readonly outcome: ExecutionOutcome['kind'] | 'lost' };

export interface TaskWorker {
  /** Works on the next task that an executor of this machine can do, to its end. Never rejects for what the work does. */
  turn(signal?: AbortSignal): Promise<Turn>;
}

const defaultTtlSeconds = 60;

/** Does tasks one at a time with the executors of this machine (§11.8 steps 5 to 7); any number of workers may share a vault. */
export const createTaskWorker = (parts: WorkerParts): TaskWorker => {
  const { host, executors } = parts;
  const byKind = new Map<ExecutorName, Executor>(executors.map(executor => [executor.kind, executor]));

  const claimNext = async (signal?: AbortSignal): Promise<{ readonly claimed: ClaimedTask; readonly executor: Executor } | null> => {
    await host.projections.level();
    for await (const candidate of eachClaimable(host, [...byKind.keys()])) {
      if (signal?.aborted === true) return null;
      const executor = byKind.get(candidate.executor);
      const claimed = executor === undefined ? null : await claimReady(parts, executor, candidate);
      if (claimed !== null && executor !== undefined) return { claimed, executor };
    }
    return null;
  };
  return {
    async turn(signal) {
      if (byKind.size === 0 || host.mayNotAct() !== null) return { kind: 'idle' };
      const next = await claimNext(signal);
      if (next === null) return { kind: 'idle' };
      const { claimed, executor } = next;
      const outcome = await work(parts, executor, claimed, signal);
      return { kind: 'ran', taskPath: claimed.task.path, runPath: claimed.runPath, outcome };
    },
  };
};

/** Claims a task whose executor is ready for it; one whose is not stays pending, says why, and is looked at again later. */
const claimReady = async (parts: WorkerParts, executor: Executor, { path }: Claimable): Promise<ClaimedTask | null> => {
  const { host, worker, ttlSeconds = defaultTtlSeconds } = parts;
  try {
    if ((await host.leases.current(host.workspaceId, path)) !== null) return null;
    const documents = await readWorkDocuments(host, path);
    if (documents === null) return null;
    const unready = await executor.unready(documents);
    if (unready !== null) {
      await defer(host, path, unready);
      return null;
    }
    return await claimTask(host, { task: path, worker, principalId: runtimePrincipalId, executors: [], ttlSeconds });
  } catch (error) {
    // Somebody else was faster.
    if (isVaultError(error) && passedOver.has(error.code)) return null;
    throw error;
  }
};

const passedOver: ReadonlySet<string> = new Set(['lease_conflict', 'version_conflict', 'not_found', 'idempotency_conflict']);

/** Says on the task why it waits, and for how long. It counts as no try. */
const defer = async (host: RuntimeHost, path: string, reason: string): Promise<void> => {
  const held = await hold(host, path, { principalId: runtimePrincipalId });
  try {
    const task = await readTaskAt(host, path);
    if (task.status !== 'pending' || task.waits !== null || task.notBefore > host.now()) return;
    const deferrals = task.deferrals + 1;
    const next = host.now() + Math.min(retryDelay(path, deferrals), longestDeferralMs);
    const patches = { attempts: task.attempts, next_attempt_at: isoSeconds(next), x_blocked: reason, x_deferrals: deferrals };
    await patchTask(host, held, { ...task, blocked: null }, patches, 'defer');
  } finally {
    await letGo(host, held);
  }
};

/** Whatever was missing may be back by then. */
const longestDeferralMs = 10 * 60_000;

/** Runs the executor while the claim lives, and records how it ended. */
const work = async (
  parts: WorkerParts,
  executor: Executor,
  claimed: ClaimedTask,
  signal: AbortSignal | undefined,
): Promise<ExecutionOutcome['kind'] | 'lost'> => {
  const { host, ttlSeconds = defaultTtlSeconds } = parts;
  const { held, task, runPath } = claimed;
  const lost = new AbortController();
  const beat = setInterval(
    () => {
      host.leases.renew(host.workspaceId, held.taskPath, holderOf(held), ttlSeconds).catch((error: unknown) => lost.abort(error));
    },
    (ttlSeconds * 1000) / 3,
  );
  try {
    const outcome = await execute(parts, executor, claimed, signal === undefined ? lost.signal : AbortSignal.any([lost.signal, signal]));
    // Whoever stops the daemon leaves the task to the next one; whoever lost the claim has no say any more.
    if (lost.signal.aborted) return 'lost';
    await endHeldRun(host, held, task, outcome);
    return outcome.kind;
  } catch (error) {
    if (isVaultError(error) && error.code === 'lease_conflict') return 'lost';
    throw new Error(`the run '${runPath}' could not be ended: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearInterval(beat);
    await letGo(host, held);
  }
};

const execute = async (
  parts: WorkerParts,
  executor: Executor,
  { held, task, runPath, decision }: ClaimedTask,
  signal: AbortSignal,
): Promise<ExecutionOutcome> => {
  const { host } = parts;
  const documents = await readWorkDocuments(host, task.path);
  if (documents === null) return { kind: 'failed', reason: 'The task is gone.', retry: false };
  const tainted: string[] = [];
  const execution: Execution = {
    task: documents.task,
    workflow: documents.workflow,
    assistant: documents.assistant,
    skills: documents.skills,
    runPath,
    attempt: task.attempts,
    decision,
    signal,
    vault: await parts.runVault({ held, runPath, documents }),
    async step(step) {
      signal.throwIfAborted();
      await reportStep(host, held, runPath, step);
    },
    taint: source => void tainted.push(source),
  };
  const outcome = await run(executor, execution);
  if (tainted.length > 0 && !signal.aborted) {
    const text = [...new Set(tainted)].slice(0, mostSources).join('\n');
    await reportStep(host, held, runPath, { name: 'text from outside', status: 'note', text });
  }
  return outcome;
};

const mostSources = 50;

const run = async (executor: Executor, execution: Execution): Promise<ExecutionOutcome> => {
  try {
    return await executor.run(execution);
  } catch (error) {
    return { kind: 'failed', reason: `The executor failed: ${reasonOf(error)}`, retry: true };
  }
};
