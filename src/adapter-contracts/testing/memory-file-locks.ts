import type { FileLocks } from '#adapter-contracts';
import { fileSystemError } from './file-system-error.ts';
import type { MemoryFileSystem } from './memory-file-system.ts';

export interface MemoryFileLocks {
  /** The locks as one process sees them. */
  ownedBy(owner: string): FileLocks;
  /** Frees every lock of a dead owner, as the operating system does. */
  release(owner: string): void;
}

interface HeldLock {
  readonly owner: string;
  readonly fd: number;
}

/**
 * Byte locks over a memory file system, with the rules of open-file-description locks: a lock belongs to a descriptor, ends when that is closed, and
 * is taken again by its own descriptor without complaint.
 */
export const createMemoryFileLocks = ({ fileOf }: Pick<MemoryFileSystem, 'fileOf'>): MemoryFileLocks => {
  const held = new Map<string, HeldLock>();
  const slot = (fd: number, offset: number, call: string): string => {
    const file = fileOf(fd);
    if (file === null) throw fileSystemError('EBADF', call);
    return `${file}:${offset}`;
  };
  return {
    ownedBy: owner => ({
      tryLock(fd, offset) {
        const name = slot(fd, offset, 'lock');
        const holder = held.get(name);
        if (holder !== undefined && holder.fd !== fd && fileOf(holder.fd) !== null) return false;
        held.set(name, { owner, fd });
        return true;
      },
      unlock(fd, offset) {
        const name = slot(fd, offset, 'unlock');
        if (held.get(name)?.fd === fd) held.delete(name);
      },
    }),
    release(owner) {
      for (const [name, holder] of [...held]) if (holder.owner === owner) held.delete(name);
    },
  };
};
