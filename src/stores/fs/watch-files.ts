import { type FSWatcher, statfsSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { WatchFiles } from '#adapter-contracts';
import { isReservedPath } from '#document';
import { reasonOf } from '#errors';
import { createDirectoryWatches, type WatchOne, watchOne } from './directory-watches.ts';
import { gitIsAtWork } from './git-at-work.ts';
import { isFileError } from './vault-layout.ts';

interface WatchFilesOptions {
  readonly root: string;
  /** After trouble, how long until it is tried again. Default a minute. */
  readonly retryMs?: number;
  /** For tests of systems that tell nothing, or run out of watches. */
  readonly watchDirectory?: WatchOne;
  readonly fileSystemType?: (root: string) => number;
  readonly platform?: NodeJS.Platform;
}

/**
 * Watches the files of the vault at `root` by what the operating system tells. Where it tells nothing, or not enough (network file systems, too many
 * directories, a vault that was moved away), `lost` says so, and it is tried again from time to time.
 */
export const watchFiles =
  (options: WatchFilesOptions): WatchFiles =>
  async listener => {
    const { root, retryMs = 60_000, platform = process.platform } = options;
    let watching: { close(): void } | null = null;
    let retry: NodeJS.Timeout | null = null;
    let closed = false;
    let lost: string | null = null;

    const giveUp = (reason: string): void => {
      if (closed || lost !== null) return;
      lost = reason;
      listener.lost(reason);
      retry = setTimeout(() => void start(), retryMs).unref();
    };
    const start = async (): Promise<void> => {
      const before = lost;
      lost = null;
      watching?.close();
      const elsewhere = platform === 'linux' ? sharedFileSystem(root, options.fileSystemType ?? typeOf) : null;
      // Half the changes are better than none: the others are found by whoever looks.
      if (elsewhere !== null) {
        if (before === null) listener.lost(elsewhere);
        lost = elsewhere;
      }
      const tell = {
        changed: (path: string) => listener.changed([path]),
        failed: (error: unknown) => giveUp(explain(error)),
      };
      if (platform === 'linux') {
        const tree = createDirectoryWatches(root, tell, options.watchDirectory ?? watchOne);
        watching = tree;
        await tree.plant('');
      } else {
        watching = watchRecursively(root, tell);
      }
      if (before === null || lost !== null || closed) return;
      listener.lost(null);
      // Whatever happened in between.
      listener.changed(['']);
    };
    await start();
    return {
      busy: () => gitIsAtWork(root),
      close() {
        closed = true;
        if (retry !== null) clearTimeout(retry);
        watching?.close();
      },
    };
  };

/** macOS and Windows watch a whole tree at once. */
const watchRecursively = (root: string, tell: { changed(path: string): void; failed(error: unknown): void }): { close(): void } => {
  let watcher: FSWatcher;
  try {
    watcher = watch(root, { recursive: true, persistent: false }, (_event, name) => {
      if (name === null) return tell.changed('');
      const path = name.replaceAll('\\', '/');
      if (isReservedPath(path)) return;
      tell.changed(isDirectory(join(root, path)) ? `${path}/` : path);
    });
  } catch (error) {
    tell.failed(error);
    return { close: () => undefined };
  }
  watcher.on('error', error => {
    watcher.close();
    tell.failed(error);
  });
  return watcher;
};

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const typeOf = (root: string): number => {
  try {
    return statfsSync(root).type;
  } catch {
    return 0;
  }
};

/** Linux's numbers for file systems on which other machines, or other programs, change files without this kernel's knowledge. */
const sharedTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x786f4256, 'a shared folder of VirtualBox'],
]);

const sharedFileSystem = (root: string, type: (root: string) => number): string | null => {
  const name = sharedTypes.get(type(root) >>> 0);
  return name === undefined ? null : `the vault lies on ${name}, where changes made elsewhere are not reported`;
};

const explain = (error: unknown): string => {
  if (isFileError(error, 'ENOSPC')) return 'the system allows no more watches (raise fs.inotify.max_user_watches)';
  if (isFileError(error, 'EMFILE', 'ENFILE'))
    return 'the system allows no more watchers or open files (raise fs.inotify.max_user_instances, or `ulimit -n`)';
  return reasonOf(error);
};
