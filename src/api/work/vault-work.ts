import type { Principal } from '#adapter-contracts';
import type { ClaimTicket, DaemonRounds, Ending, ExecutorName, Fired, RunStep, Task } from '#runtime';

/** A claim as whoever took it presents it with each report. */
export interface WorkClaim {
  readonly task_path: string;
  readonly run_path: string;
  readonly lease_id: string;
  readonly operation_id: string;
}

/** Work on time: firings, tasks and their runs (§11.8). */
export interface VaultWork {
  /** Fires a workflow on request; the same key fires once. */
  fire(request: { readonly workflow: string; readonly trigger: string | null; readonly key: string }, by: Principal): Promise<Fired>;
  /** Claims a task for `by`; null when none is named and nothing is to be done. */
  claim(
    request: {
      readonly task: string | null;
      readonly worker: string;
      readonly executors?: readonly ExecutorName[];
      readonly ttlSeconds?: number | undefined;
    },
    by: Principal,
  ): Promise<WorkClaim | null>;
  step(
    ticket: ClaimTicket,
    step: RunStep,
    options: { readonly key?: string | undefined; readonly ttlSeconds?: number | undefined },
  ): Promise<{ readonly runPath: string; readonly number: number; readonly expiresAt: string }>;
  finish(ticket: ClaimTicket, ending: Ending): Promise<Task>;
  cancel(path: string, reason: string): Promise<Task>;
  decide(path: string, decision: { readonly approved: boolean; readonly by: string; readonly reason: string }): Promise<Task>;
  /** The loop of a daemon, to be run round by round. */
  rounds(): DaemonRounds;
}
