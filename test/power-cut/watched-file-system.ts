import { setImmediate as turn } from 'node:timers/promises';
import type { FileSystem } from '#adapter-contracts';
import type { Random } from '#adapter-contracts/testing';

/** What a broken disk says it did and did not do; for proofs that the simulation notices. */
export interface Lie {
  /** Syncs of these files do nothing. */
  readonly fileSync?: (path: string) => boolean;
  /** Syncs of these directories do nothing. */
  readonly directorySync?: (path: string) => boolean;
  /** Locks on these files are always granted. */
  readonly lock?: (path: string) => boolean;
}

export interface WatchedCalls {
  /** Before a call that changes nothing. */
  readonly reading: () => void;
  /** Before a call that changes the disk or makes a change durable. */
  readonly changing: () => void;
  readonly isAlive: () => boolean;
  readonly random: Random;
}

export interface WatchedFileSystem extends FileSystem {
  /** What an open descriptor was opened as. */
  pathOf(fd: number): string;
}

const longestSyncInTurns = 4;

/** A file system as one process sees it. A process that dies while it writes may have written a part; its waiting syncs never happen. */
export const watchedFileSystem = (inner: FileSystem, calls: WatchedCalls, lie: Lie): WatchedFileSystem => {
  const { reading, changing } = calls;
  const paths = new Map<number, string>();
  const pathOf = (fd: number): string => paths.get(fd) ?? '';
  return {
    pathOf,
    ...before(reading, pickCalls(inner, ['stat', 'readFile', 'readDirectory', 'size', 'read', 'close'])),
    ...before(changing, pickCalls(inner, ['makeDirectory', 'removeDirectory', 'rename', 'unlink', 'truncate', 'chmod'])),
    open(path, mode, permissions) {
      if (mode === 'read' || mode === 'read-write') reading();
      else changing();
      const fd = inner.open(path, mode, permissions);
      paths.set(fd, path);
      return fd;
    },
    async create(path) {
      changing();
      const fd = await inner.create(path);
      paths.set(fd, path);
      return fd;
    },
    write(fd, position, bytes) {
      const wasAlive = calls.isAlive();
      try {
        changing();
      } catch (died) {
        const share = calls.random() < 0.5 ? calls.random() : 0;
        if (wasAlive) inner.write(fd, position, bytes.subarray(0, Math.floor(bytes.length * share)));
        throw died;
      }
      inner.write(fd, position, bytes);
    },
    ...syncsOf(inner, calls, lie, pathOf),
  };
};

type Call = (...parameters: never[]) => unknown;

const pickCalls = <Name extends keyof FileSystem>(inner: FileSystem, names: readonly Name[]): Pick<FileSystem, Name> =>
  Object.fromEntries(names.map(name => [name, inner[name]])) as Pick<FileSystem, Name>;

/** The same calls, each preceded by `first`. */
const before = <Calls extends object>(first: () => void, calls: Calls): Calls =>
  Object.fromEntries(
    Object.entries(calls as Record<string, Call>).map(([name, call]) => [
      name,
      (...parameters: never[]) => {
        first();
        return call(...parameters);
      },
    ]),
  ) as Calls;

type Syncs = 'fsyncSync' | 'fdatasyncSync' | 'syncDirectorySync' | 'fsync' | 'fdatasync' | 'syncDirectory';

const syncsOf = (
  inner: FileSystem,
  { reading, changing, random }: WatchedCalls,
  lie: Lie,
  pathOf: (fd: number) => string,
): Pick<FileSystem, Syncs> => {
  const syncFile = (fd: number): void => {
    if (lie.fileSync?.(pathOf(fd)) !== true) inner.fsyncSync(fd);
  };
  const syncNames = (path: string): void => {
    if (lie.directorySync?.(path) !== true) inner.syncDirectorySync(path);
  };
  /** The disk takes its time: others run meanwhile, and the power may fail. */
  const later = async (sync: () => void): Promise<void> => {
    changing();
    for (let turns = Math.floor(random() * longestSyncInTurns); turns > 0; turns -= 1) await turn();
    reading();
    sync();
  };
  return {
    ...before(changing, { fsyncSync: syncFile, fdatasyncSync: syncFile, syncDirectorySync: syncNames }),
    fsync: fd => later(() => syncFile(fd)),
    fdatasync: fd => later(() => syncFile(fd)),
    syncDirectory: path => later(() => syncNames(path)),
  };
};
