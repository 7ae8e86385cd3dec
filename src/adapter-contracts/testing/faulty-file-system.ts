import type { FileSystem, OpenMode } from '#adapter-contracts';
import { fileSystemError } from './file-system-error.ts';

/** A call that can change the disk or make a change durable, in the order it came. */
export interface MutatingCall {
  /** Counted from 1. */
  readonly number: number;
  readonly name: keyof FileSystem;
}

export interface FaultPlan {
  /** The number, from 1, of the mutating call that fails; absent: none fails, calls are only counted. */
  readonly failAt?: number;
  /** The error code it fails with; default `EIO`. */
  readonly code?: string;
  /**
   * What comes after the failing call. `recover` (default): everything works again. `stay`: every later mutating call fails too, as on a full disk.
   * `dead`: every later call fails, reads included, as if the process had been killed there.
   */
  readonly afterwards?: 'recover' | 'stay' | 'dead';
  /** When the failing call is a `write`: the share of its bytes, from 0 to 1, that reach the file all the same; default 0. */
  readonly tornShare?: number;
  /** Which mutating calls count; default all. */
  readonly counts?: (call: Pick<MutatingCall, 'name'>) => boolean;
}

export interface FaultyFileSystem {
  readonly fileSystem: FileSystem;
  /** The mutating calls so far that the plan counts. */
  readonly calls: () => readonly MutatingCall[];
  /** True once the planned call has failed. */
  readonly failed: () => boolean;
}

const creatingModes: readonly OpenMode[] = ['read-write-create', 'create-exclusive', 'append-create'];

/**
 * Wraps a file system so that its k-th mutating call fails. Run a scenario once without `failAt` to learn how many calls it makes, then once for
 * each k up to that number.
 *
 * @example const { fileSystem } = createFaultyFileSystem(disk.fileSystem, { failAt: 3, code: 'ENOSPC', afterwards: 'stay' });
 */
export const createFaultyFileSystem = (inner: FileSystem, plan: FaultPlan = {}): FaultyFileSystem => {
  const { failAt, code = 'EIO', afterwards = 'recover', tornShare = 0, counts = () => true } = plan;
  const calls: MutatingCall[] = [];
  let failed = false;

  const fail = (name: keyof FileSystem): never => {
    throw fileSystemError(code, name);
  };
  const checkAlive = (name: keyof FileSystem): void => {
    if (failed && afterwards === 'dead') fail(name);
  };
  /** Counts a mutating call; `atFault` does what such a call still achieves before it fails. */
  const count = (name: keyof FileSystem, atFault: () => void = () => undefined): void => {
    checkAlive(name);
    if (!counts({ name })) return;
    calls.push({ number: calls.length + 1, name });
    if (failed && afterwards === 'stay') fail(name);
    if (calls.length !== failAt) return;
    failed = true;
    atFault();
    fail(name);
  };
  const reading =
    <A extends unknown[], R>(name: keyof FileSystem, call: (...args: A) => R) =>
    (...args: A): R => {
      checkAlive(name);
      return call(...args);
    };
  const mutating =
    <A extends unknown[], R>(name: keyof FileSystem, call: (...args: A) => R) =>
    (...args: A): R => {
      count(name);
      return call(...args);
    };
  const syncing =
    <A extends unknown[]>(name: keyof FileSystem, call: (...args: A) => Promise<void>) =>
    async (...args: A): Promise<void> => {
      count(name);
      await call(...args);
    };

  const fileSystem: FileSystem = {
    stat: reading('stat', path => inner.stat(path)),
    readFile: reading('readFile', path => inner.readFile(path)),
    readDirectory: reading('readDirectory', path => inner.readDirectory(path)),
    size: reading('size', fd => inner.size(fd)),
    read: reading('read', (fd, position, length) => inner.read(fd, position, length)),
    // Closing changes nothing on the disk, and a dead process has its files closed for it.
    close: fd => inner.close(fd),
    open(path, mode, permissions) {
      if (creatingModes.includes(mode)) count('open');
      else checkAlive('open');
      return inner.open(path, mode, permissions);
    },
    async create(path) {
      count('create');
      return inner.create(path);
    },
    write(fd, position, bytes) {
      count('write', () => inner.write(fd, position, bytes.subarray(0, Math.floor(bytes.length * tornShare))));
      inner.write(fd, position, bytes);
    },
    makeDirectory: mutating('makeDirectory', (path, mode) => inner.makeDirectory(path, mode)),
    removeDirectory: mutating('removeDirectory', path => inner.removeDirectory(path)),
    rename: mutating('rename', (from, to) => inner.rename(from, to)),
    unlink: mutating('unlink', path => inner.unlink(path)),
    truncate: mutating('truncate', (fd, length) => inner.truncate(fd, length)),
    chmod: mutating('chmod', (fd, mode) => inner.chmod(fd, mode)),
    fsyncSync: mutating('fsyncSync', fd => inner.fsyncSync(fd)),
    fdatasyncSync: mutating('fdatasyncSync', fd => inner.fdatasyncSync(fd)),
    syncDirectorySync: mutating('syncDirectorySync', path => inner.syncDirectorySync(path)),
    fsync: syncing('fsync', fd => inner.fsync(fd)),
    fdatasync: syncing('fdatasync', fd => inner.fdatasync(fd)),
    syncDirectory: syncing('syncDirectory', path => inner.syncDirectory(path)),
  };
  return { fileSystem, calls: () => calls, failed: () => failed };
};
