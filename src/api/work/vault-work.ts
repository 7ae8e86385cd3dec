import type { Principal } from '#adapter-contracts';
import type {
  ClaimTicket,
  DaemonRounds,
  Ending,
  ExecutorName,
  Fired,
  Round,
  RunRow,
  RunStep,
  RuntimeStatus,
  Task,
  TaskRow,
  TaskWorker,
  Trigger,
  Turn,
  WorkFilter,
} from '#runtime';

/** A claim as whoever took it presents it with each report. */
interface WorkClaim {
  readonly task_path: string;
  readonly run_path: string;
  readonly lease_id: string;
  readonly operation_id: string;
}

export interface DaemonOptions {
  /** How many tasks are worked on at once; 0 only makes tasks. */
  readonly workers: number;
  /** How long the claim of a worker outlives it. Default 60. */
  readonly ttlSeconds?: number;
  readonly signal?: AbortSignal;
  readonly onRound?: (round: Round) => void;
  readonly onTurn?: (turn: Turn & { readonly kind: 'ran' }) => void;
  /** Something failed and is tried again. */
  readonly onFailure?: (error: unknown) => void;
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
  tasks(filter: WorkFilter): Promise<{ readonly rows: readonly TaskRow[]; readonly next: string | null }>;
  runs(filter: WorkFilter): Promise<{ readonly rows: readonly RunRow[]; readonly next: string | null }>;
  status(): Promise<RuntimeStatus>;
  /** The trigger as the log has it; null when there is none that could fire. */
  findTrigger(workflowId: string, triggerId: string): Promise<Trigger | null>;
  /** The loop of a daemon, to be run round by round. */
  rounds(): DaemonRounds;
  /** Does tasks with the executors of this machine. */
  readonly worker: (name: string, options?: { readonly ttlSeconds?: number | undefined }) => TaskWorker;
  /** Everything that is due now and all work that follows from it, and no more. */
  runDue(options: DaemonOptions): Promise<void>;
  /** A daemon with its workers, until `signal` says so. */
  runDaemon(options: DaemonOptions & { readonly signal: AbortSignal }): Promise<void>;
}
