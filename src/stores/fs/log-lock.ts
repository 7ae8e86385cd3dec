import { join } from 'node:path';
import { type FairLock, lockFairly } from './fair-lock.ts';
import type { FsPlatform } from './fs-platform.ts';
import { lockFile } from './lock-file.ts';
import { makeInternalDirectory, type VaultLayout } from './vault-layout.ts';

/** Runs work one at a time: within the process, and among all processes that hold the same lock. */
export interface LogLock {
  hold<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

const appending: FairLock = { byte: 0, precedenceByte: 2 };
const openingFiles: FairLock = { byte: 1, precedenceByte: 3 };

/** Takes turns within this process only; for stores that write nothing. */
export const processLock = (): LogLock => {
  let before: Promise<unknown> = Promise.resolve();
  return {
    hold(work) {
      const run = before.then(work);
      before = run.catch(() => undefined);
      return run;
    },
    close: () => undefined,
  };
};

/**
 * The lock of the event log, and the one under which shared databases are opened (two openers race on switching a new database to WAL). `hold`
 * throws when the lock stays taken for `timeoutMs`; then `work` never ran.
 */
export const openLogLocks = (
  platform: FsPlatform,
  layout: VaultLayout,
  timeoutMs: number,
): { readonly log: LogLock; readonly opening: LogLock } => {
  makeInternalDirectory(platform.fs, layout.root, layout.locks);
  const file = lockFile(platform, platform.fs.open(join(layout.locks, 'log.lock'), 'read-write-create'));
  const lockOn = (lock: FairLock, close: () => void): LogLock => {
    const queue = processLock();
    return {
      hold: work =>
        queue.hold(async () => {
          if (!(await lockFairly(file, lock, timeoutMs))) {
            throw new Error(
              `Another process has held the lock of the event log for ${timeoutMs / 1000} s; nothing was written. Retry, or see which one hangs.`,
            );
          }
          try {
            return await work();
          } finally {
            file.unlock(lock.byte);
          }
        }),
      close,
    };
  };
  return { log: lockOn(appending, () => file.close()), opening: lockOn(openingFiles, () => undefined) };
};
