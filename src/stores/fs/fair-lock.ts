import { monotonicNow, retryUntil } from './backoff.ts';
import type { LockFile } from './lock-file.ts';

const longestPatienceMs = 1_000;
// Never a busy loop: it would take the processor from the very holder it waits for.
const pauseOfFirstMs = 1;

/** A lock and the right to be served next, each one byte of a lock file. */
export interface FairLock {
  readonly byte: number;
  readonly precedenceByte: number;
}

/**
 * Takes a lock that many processes want at once, or gives up after `timeoutMs`. Whoever gives it back would otherwise be the first to take it again,
 * and on a busy machine others could wait for ever: so one that has waited long takes the right of precedence, and while that is held newcomers stand
 * back. Both are freed by the operating system when their holder dies.
 */
export const lockFairly = async (file: LockFile, { byte, precedenceByte }: FairLock, timeoutMs: number): Promise<boolean> => {
  const patienceMs = Math.min(longestPatienceMs, timeoutMs / 10);
  const began = monotonicNow();
  let first = false;
  const attempt = (): true | null => {
    if (!first) {
      if (!file.tryLock(precedenceByte)) return null;
      first = monotonicNow() - began >= patienceMs;
      if (!first) file.unlock(precedenceByte);
    }
    return file.tryLock(byte) || null;
  };
  const pause = (usual: number): number => (first ? pauseOfFirstMs : usual);
  try {
    return (await retryUntil(attempt, timeoutMs, pause)) !== null;
  } finally {
    if (first) file.unlock(precedenceByte);
  }
};
