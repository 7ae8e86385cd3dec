import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';

interface NativeLocks {
  tryLock(fd: number): boolean;
  unlock(fd: number): void;
}

/** Loaded on first use, so that commands which write no machine state run where the native module is missing. */
const nativeLocks = (): NativeLocks => createRequire(import.meta.url)('fs-native-extensions') as NativeLocks;

const waiting = new Map<string, Promise<unknown>>();

/**
 * Runs `work` while holding the operating-system lock on `lockFile`, against every other process and every other caller in this one.
 * The operating system frees the lock when its owner dies, so nobody ever judges a lock by its age; the empty file stays.
 *
 * @example await withFileLock(join(stateDir, 'principals.lock'), () => update(file));
 */
export const withFileLock = async <T>(lockFile: string, work: () => T | Promise<T>, timeoutMs = 30_000): Promise<T> => {
  // One descriptor may lock a file it holds already, so callers within this process queue behind each other first.
  const previous = waiting.get(lockFile) ?? Promise.resolve();
  const turn = previous.then(() => underOsLock(lockFile, work, timeoutMs));
  const settled = turn.catch(() => undefined);
  waiting.set(lockFile, settled);
  try {
    return await turn;
  } finally {
    if (waiting.get(lockFile) === settled) waiting.delete(lockFile);
  }
};

const underOsLock = async <T>(lockFile: string, work: () => T | Promise<T>, timeoutMs: number): Promise<T> => {
  const locks = nativeLocks();
  const fd = openSync(lockFile, 'a+', 0o600);
  try {
    const deadline = Date.now() + timeoutMs;
    while (!locks.tryLock(fd)) {
      if (Date.now() > deadline)
        throw new Error(`'${lockFile}' has been locked by another process for ${timeoutMs} ms; end that process or try again`);
      await delay(5);
    }
    try {
      return await work();
    } finally {
      locks.unlock(fd);
    }
  } finally {
    closeSync(fd);
  }
};
