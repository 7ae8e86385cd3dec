import { closedStore } from './closed-store.ts';
import type { FsPlatform } from './fs-platform.ts';

/** Byte locks of one open file, exclusive within the process as well as between processes. */
export interface LockFile {
  /** Takes the lock on one byte, or returns false at once. */
  tryLock(offset: number): boolean;
  unlock(offset: number): void;
  close(): void;
}

/** Wraps an open descriptor. The operating system lets a descriptor take its own lock again, hence the set of held offsets. */
export const lockFile = ({ fs, locks }: Pick<FsPlatform, 'fs' | 'locks'>, fd: number): LockFile => {
  const held = new Set<number>();
  let closed = false;
  return {
    tryLock(offset) {
      if (closed) throw closedStore();
      if (held.has(offset) || !locks.tryLock(fd, offset)) return false;
      held.add(offset);
      return true;
    },
    unlock(offset) {
      if (!held.has(offset)) return;
      locks.unlock(fd, offset);
      held.delete(offset);
    },
    close() {
      // The system frees what is held.
      closed = true;
      held.clear();
      fs.close(fd);
    },
  };
};
