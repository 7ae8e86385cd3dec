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
  const refuseLate = (): void => {
    const now = monotonicNow();
    for (const entry of waiting) if (entry.deadline <= now) entry.settled.reject(lockTimeout(entry.path, lockTimeoutMs));
    waiting = waiting.filter(entry => entry.deadline > now);
  };
  /** Without waiting, and in slot order, so that processes wanting the same paths do not take turns failing. */
  const lock = (candidates: readonly CommitEntry[]): readonly CommitEntry[] =>
    [...candidates]
      .sort((a, b) => a.slot - b.slot)
      .filter(entry => {
        if (pathLocks.tryLock(entry.slot)) return true;
        postpone(entry);
        return false;
      });
  return {
    get length() {
      return waiting.length;
    },
    add: entry => void waiting.push(entry),
    defer(entry) {
      postpone(entry);
      waiting.unshift(entry);
    },
    take() {
      refuseLate();
      const locked = new Set(lock(candidatesOf(waiting)));
      waiting = waiting.filter(entry => !locked.has(entry));
      return [...locked];
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
