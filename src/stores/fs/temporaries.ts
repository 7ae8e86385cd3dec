import type { FileSystem } from '#adapter-contracts';

/** A file in the reserved area on its way to become a document. */
export interface Temporary {
  readonly path: string;
  fd: number | null;
  syncing: Promise<void> | null;
}

/** Empty temporary files, made in advance: on most file systems making a file takes longer than writing it. */
export interface Temporaries {
  take(): Temporary;
  /** Makes as many in advance as the next batch will probably need; others work meanwhile, and nobody waits. */
  prepare(wanted: number): void;
  /** Removes those that were never used, also the ones still being made. */
  close(): Promise<void>;
}

// Each is an open descriptor.
const mostSpare = 64;

/** `newPath` gives a name that no other writer uses. What a killed process leaves is swept by the next owner of its journal. */
export const createTemporaries = (fs: FileSystem, newPath: () => string): Temporaries => {
  const spare: Temporary[] = [];
  const making = new Set<Promise<void>>();
  let closed = false;
  const drop = ({ path, fd }: Temporary): void => {
    try {
      if (fd !== null) fs.close(fd);
      fs.unlink(path);
    } catch {
      // Swept with its journal.
    }
  };
  const make = async (path: string): Promise<void> => {
    try {
      const made = { path, fd: await fs.create(path), syncing: null };
      if (closed) drop(made);
      else spare.push(made);
    } catch {
      // Whoever needs one makes it then, and hears why it cannot be.
    }
  };
  return {
    take() {
      const ready = spare.shift();
      if (ready !== undefined) return ready;
      const path = newPath();
      return { path, fd: fs.open(path, 'create-exclusive'), syncing: null };
    },
    prepare(wanted) {
      if (closed) return;
      for (let missing = Math.min(wanted, mostSpare) - spare.length - making.size; missing > 0; missing -= 1) {
        const made: Promise<void> = make(newPath()).finally(() => making.delete(made));
        making.add(made);
      }
    },
    async close() {
      closed = true;
      for (const each of spare.splice(0)) drop(each);
      await Promise.all(making);
    },
  };
};

/**
 * File contents before their names: a renamed file must never be found empty after a power cut. One file: synchronous is faster; more: the disk
 * works on each while the next is written.
 */
export const syncTemporary = (fs: FileSystem, temporary: Temporary, alone: boolean): void => {
  if (alone) {
    fs.fsyncSync(temporary.fd!);
    return;
  }
  temporary.syncing = fs.fsync(temporary.fd!);
  // Heard of when all are awaited.
  temporary.syncing.catch(() => undefined);
};

/** Once; the file may have been closed before. */
export const closeTemporary = (fs: FileSystem, temporary: Temporary): void => {
  const { fd } = temporary;
  temporary.fd = null;
  if (fd !== null) fs.close(fd);
};
