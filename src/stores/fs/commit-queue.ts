import { monotonicNow, pauseBefore } from './backoff.ts';
import type { CommitEntry } from './commit-entry.ts';
import { recordCapacity } from './journal-record.ts';
import { lockTimeout, type PathLocks } from './path-locks.ts';

const largestBatchBytes = 4 << 20;

/** Commits that wait for their turn, in order per path. */
export interface CommitQueue {
  readonly length: number;
  add(entry: CommitEntry): void;
  /** Puts an entry back at the front, to be tried again after a pause. */
  defer(entry: CommitEntry): void;
  /** Takes everything that can run together now, with its commit locks held; at most one entry per lock slot. */
  take(): readonly CommitEntry[];
  /** Milliseconds until an entry may be tried again. */
  pause(): number;
  drain(): readonly CommitEntry[];
}

export const createCommitQueue = (pathLocks: PathLocks, lockTimeoutMs: number): CommitQueue => {
  let waiting: CommitEntry[] = [];
  const postpone = (entry: CommitEntry): void => {
    entry.retryAt = monotonicNow() + pauseBefore(entry.tries);
    entry.tries += 1;
  };
  /** Only for an entry that was just tried in vain: time that passed while this process stood still says nothing about others. */
  const refusedAsLate = (entry: CommitEntry): boolean => {
    if (entry.deadline > monotonicNow()) return false;
    entry.settled.reject(lockTimeout(entry.path, lockTimeoutMs));
    return true;
  };
  /** Takes the locks that are free, without waiting, and in slot order, so that processes wanting the same paths do not take turns failing. */
  const lock = (
    candidates: readonly CommitEntry[],
  ): { readonly locked: readonly CommitEntry[]; readonly gone: ReadonlySet<CommitEntry> } => {
    const locked: CommitEntry[] = [];
    const gone = new Set<CommitEntry>();
    for (const entry of [...candidates].sort((a, b) => a.slot - b.slot)) {
      try {
        if (pathLocks.tryLock(entry.slot)) locked.push(entry);
        if (locked.at(-1) === entry || refusedAsLate(entry)) gone.add(entry);
        else postpone(entry);
      } catch (error) {
        // The system has no lock left, or the file system lost them: this commit ends, the others are asked for themselves.
        entry.settled.reject(error);
        gone.add(entry);
      }
    }
    return { locked, gone };
  };
  return {
    get length() {
      return waiting.length;
    },
    add: entry => void waiting.push(entry),
    defer(entry) {
      if (refusedAsLate(entry)) return;
      postpone(entry);
      waiting.unshift(entry);
    },
    take() {
      const { locked, gone } = lock(candidatesOf(waiting));
      waiting = waiting.filter(entry => !gone.has(entry));
      return locked;
    },
    pause: () => Math.max(0, Math.min(...waiting.map(entry => entry.retryAt)) - monotonicNow()),
    drain() {
      const all = waiting;
      waiting = [];
      return all;
    },
  };
};

/** The first entry of each slot, if it may be tried now, up to the limits of one batch. */
const candidatesOf = (waiting: readonly CommitEntry[]): readonly CommitEntry[] => {
  const now = monotonicNow();
  const seen = new Set<number>();
  const candidates: CommitEntry[] = [];
  let bytes = 0;
  for (const entry of waiting) {
    if (seen.has(entry.slot)) continue;
    seen.add(entry.slot);
    if (entry.retryAt > now) continue;
    bytes += entry.intent.prior?.length ?? 0;
    if (candidates.length > 0 && bytes > largestBatchBytes) break;
    candidates.push(entry);
    if (candidates.length === recordCapacity) break;
  }
  return candidates;
};
