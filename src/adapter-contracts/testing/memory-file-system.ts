import type { Clock, FileSystem, OpenMode } from '#adapter-contracts';
import { fakeClock } from './fake-clock.ts';
import { fileSystemError } from './file-system-error.ts';
import { type Random, seededRandom } from './seeded-random.ts';
import {
  changeNames,
  createSimulatedDirectory,
  type SimulatedDirectory,
  type SimulatedNode,
  simulatedDirectoryAfterCut,
  syncSimulatedDirectory,
} from './simulated-directory.ts';
import {
  createSimulatedFile,
  type SimulatedFile,
  type Survival,
  syncSimulatedFile,
  truncateSimulatedFile,
  writeSimulatedFile,
} from './simulated-file.ts';
import { directoryAt, fileAt, findNode, nodeAt, placeAt } from './simulated-tree.ts';
import { sliceOf } from './sparse-bytes.ts';

export interface PowerCut {
  /** Seeds the fate of everything un-synced; the same seed leaves the same disk. */
  readonly seed: number;
  /**
   * How much of one un-synced change survives: 0 = nothing, 1 = all, between = a torn write (names: kept from 0.5 on), `scattered` = each sector by
   * itself. Absent: each is lost, kept, torn or scattered at random.
   */
  readonly keep?: (random: Random) => Survival;
}

export interface MemoryFileSystem {
  readonly fileSystem: FileSystem;
  /** Cuts the power: open files are closed, and of all that was not synced only some is left. The file system is usable again at once. */
  powerCut(cut: PowerCut): void;
  /** Another disk, as `powerCut` would leave this one, which goes on undisturbed. */
  afterPowerCut(cut: PowerCut): MemoryFileSystem;
  /** Which file an open descriptor is of, or null when it is closed; what a lock is really on. */
  readonly fileOf: (fd: number) => bigint | null;
}

interface OpenFile {
  readonly file: SimulatedFile;
  readonly mode: OpenMode;
}

/** What the calls of one simulated disk share. */
interface Disk {
  root: SimulatedDirectory;
  readonly openFiles: Map<number, OpenFile>;
  /** Never the same twice, as on file systems with nanosecond times. */
  readonly now: () => bigint;
  /** Numbers for inodes and descriptors; never used again, so that a stale one is always noticed. */
  readonly next: () => number;
}

type NameCalls = Pick<
  FileSystem,
  'stat' | 'readFile' | 'readDirectory' | 'makeDirectory' | 'removeDirectory' | 'rename' | 'unlink' | 'syncDirectorySync' | 'syncDirectory'
>;

const remove = ({ root, now }: Disk, path: string, call: string, kind: SimulatedNode['kind']): void => {
  const node = nodeAt(root, path, call);
  if (node.kind !== kind) throw fileSystemError(kind === 'file' ? 'EISDIR' : 'ENOTDIR', call, path);
  if (node.kind === 'directory' && node.names.size > 0) throw fileSystemError('ENOTEMPTY', call, path);
  changeNames([{ ...placeAt(root, path, call), node: null }], now());
};

const rename = ({ root, now }: Disk, from: string, to: string): void => {
  const node = nodeAt(root, from, 'rename');
  const target = placeAt(root, to, 'rename');
  const replaced = target.directory.names.get(target.name);
  if (replaced === node) return;
  if (replaced?.kind === 'directory') {
    if (node.kind === 'file') throw fileSystemError('EISDIR', 'rename', to);
    if (replaced.names.size > 0) throw fileSystemError('ENOTEMPTY', 'rename', to);
  } else if (replaced !== undefined && node.kind === 'directory') throw fileSystemError('ENOTDIR', 'rename', to);
  if (node.kind === 'directory' && `${to}/`.startsWith(`${from}/`)) throw fileSystemError('EINVAL', 'rename', to);
  const source = { ...placeAt(root, from, 'rename'), node: null };
  changeNames([source, { ...target, node }], now());
};

const createNameCalls = (disk: Disk): NameCalls => {
  const { now, next } = disk;
  return {
    stat(path) {
      const node = findNode(disk.root, path);
      if (node === null) return null;
      const { kind, mode, mtimeNs, ctimeNs, birthtimeNs, ino } = node;
      return { kind, mode, mtimeNs, ctimeNs, birthtimeNs, ino, size: kind === 'file' ? node.content.length : 0 };
    },
    readFile(path) {
      const { content } = fileAt(disk.root, path, 'read');
      return sliceOf(content, 0, content.length);
    },
    readDirectory: path => Array.from(directoryAt(disk.root, path, 'scandir').names, ([name, { kind }]) => ({ name, kind })),
    makeDirectory(path, mode = 0o755) {
      const place = placeAt(disk.root, path, 'mkdir');
      if (place.directory.names.has(place.name)) throw fileSystemError('EEXIST', 'mkdir', path);
      changeNames([{ ...place, node: createSimulatedDirectory(BigInt(next()), mode, now()) }], now());
    },
    removeDirectory: path => remove(disk, path, 'rmdir', 'directory'),
    unlink: path => remove(disk, path, 'unlink', 'file'),
    rename: (from, to) => rename(disk, from, to),
    syncDirectorySync: path => syncSimulatedDirectory(directoryAt(disk.root, path, 'fsync')),
    syncDirectory: async path => syncSimulatedDirectory(directoryAt(disk.root, path, 'fsync')),
  };
};

const open = ({ root, openFiles, now, next }: Disk, path: string, mode: OpenMode, permissions: number): number => {
  const { directory, name } = placeAt(root, path, 'open');
  const found = directory.names.get(name);
  if (found !== undefined && mode === 'create-exclusive') throw fileSystemError('EEXIST', 'open', path);
  if (found?.kind === 'directory') throw fileSystemError('EISDIR', 'open', path);
  if (found === undefined && (mode === 'read' || mode === 'read-write')) throw fileSystemError('ENOENT', 'open', path);
  const file = found ?? createSimulatedFile(BigInt(next()), permissions, now());
  if (found === undefined) changeNames([{ directory, name, node: file }], now());
  const fd = next();
  openFiles.set(fd, { file, mode });
  return fd;
};

const createFileCalls = (disk: Disk): Omit<FileSystem, keyof NameCalls> => {
  const { openFiles, now } = disk;
  const opened = (fd: number, call: string): OpenFile => {
    const found = openFiles.get(fd);
    if (found === undefined) throw fileSystemError('EBADF', call);
    return found;
  };
  const changing = (fd: number, call: string): OpenFile => {
    const found = opened(fd, call);
    if (found.mode === 'read') throw fileSystemError('EBADF', call);
    found.file.mtimeNs = now();
    found.file.ctimeNs = found.file.mtimeNs;
    return found;
  };
  const sync = (fd: number, call: string): void => syncSimulatedFile(opened(fd, call).file);
  return {
    open: (path, mode, permissions = 0o644) => open(disk, path, mode, permissions),
    create: async path => open(disk, path, 'create-exclusive', 0o644),
    size: fd => opened(fd, 'fstat').file.content.length,
    read: (fd, position, length) => sliceOf(opened(fd, 'read').file.content, position, position + length),
    write(fd, position, bytes) {
      const { file, mode } = changing(fd, 'write');
      // An appending descriptor ignores the position, as on Linux.
      writeSimulatedFile(file, mode === 'append-create' ? file.content.length : position, bytes);
    },
    truncate: (fd, length) => truncateSimulatedFile(changing(fd, 'ftruncate').file, length),
    chmod(fd, mode) {
      const { file } = opened(fd, 'fchmod');
      file.mode = mode;
      file.ctimeNs = now();
    },
    close(fd) {
      opened(fd, 'close');
      openFiles.delete(fd);
    },
    fsyncSync: fd => sync(fd, 'fsync'),
    fsync: async fd => sync(fd, 'fsync'),
    fdatasyncSync: fd => sync(fd, 'fdatasync'),
    fdatasync: async fd => sync(fd, 'fdatasync'),
  };
};

const someSurvives = (random: Random): Survival => ([0, 1, random(), 'scattered'] as const)[Math.floor(random() * 4)] ?? 0;

/**
 * A disk in memory for crash tests: absolute paths with `/`, no links, and a volatile cache. File content becomes durable by `fsync` or
 * `fdatasync` of the file, names by `syncDirectory` of their directory, and nothing else ever does.
 *
 * @example
 * const disk = createMemoryFileSystem();
 * disk.fileSystem.makeDirectory('/vault');
 * disk.powerCut({ seed: 1, keep: () => 0 }); // '/vault' is gone: its parent was never synced
 */
export const createMemoryFileSystem = (options: { readonly clock?: Clock } = {}): MemoryFileSystem => {
  const clock = options.clock ?? fakeClock();
  let ticks = 0n;
  // Descriptors 0 to 2 are taken in every process.
  let last = 2;
  const now = (): bigint => BigInt(clock.now().getTime()) * 1_000_000n + ticks++;
  const next = (): number => ++last;
  const diskOf = (root: SimulatedDirectory): MemoryFileSystem => {
    const disk: Disk = { root, openFiles: new Map(), now, next };
    const rootAfter = ({ seed, keep = someSurvives }: PowerCut): SimulatedDirectory =>
      simulatedDirectoryAfterCut(disk.root, keep, seededRandom(seed));
    return {
      fileSystem: { ...createNameCalls(disk), ...createFileCalls(disk) },
      powerCut(cut) {
        disk.root = rootAfter(cut);
        disk.openFiles.clear();
      },
      afterPowerCut: cut => diskOf(rootAfter(cut)),
      fileOf: fd => disk.openFiles.get(fd)?.file.ino ?? null,
    };
  };
  return diskOf(createSimulatedDirectory(2n, 0o755, now()));
};
