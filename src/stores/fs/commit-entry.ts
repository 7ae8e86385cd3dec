import type { CommitIntent, CommitScope, RecoveryReport, ResolveIntent } from '#adapter-contracts';

/** One `run` of the intent journal on its way through the committer. */
export interface CommitEntry {
  readonly path: string;
  readonly slot: number;
  readonly intent: CommitIntent;
  readonly commit: (scope: CommitScope) => Promise<unknown>;
  readonly resolve: ResolveIntent;
  /** On the monotonic clock: when waiting for the commit lock ends. */
  readonly deadline: number;
  readonly settled: { readonly resolve: (value: unknown) => void; readonly reject: (reason: unknown) => void };
  /** Not tried again before; counts up with each busy lock. */
  retryAt: number;
  tries: number;
  readonly reports: RecoveryReport[];
  readonly madeDirectories: Set<string>;
  /** Why this commit may change nothing, decided under its lock before any intent is recorded; null when it may. */
  refusal: Error | null;
  /** The log holds the intent's event. */
  committed: boolean;
  /** The outcome is open: recovery must decide. */
  kept: boolean;
  result: PromiseSettledResult<unknown> | null;
}

type Given = Pick<CommitEntry, 'path' | 'slot' | 'intent' | 'commit' | 'resolve' | 'deadline' | 'settled'>;

export const commitEntry = (given: Given): CommitEntry => ({
  ...given,
  retryAt: 0,
  tries: 0,
  reports: [],
  madeDirectories: new Set(),
  refusal: null,
  committed: false,
  kept: false,
  result: null,
});
