import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isReservedPath } from '#document';
import { isFileError } from './vault-layout.ts';

/** What the tree of watches tells; paths as in `FileWatchListener`. */
export interface TreeListener {
  changed(path: string): void;
  /** A directory could not be watched. */
  failed(error: unknown): void;
}

export interface DirectoryWatches {
  /** Watches a directory and all below it, in place of what was watched there. Vault-relative, `''` is the vault. */
  plant(directory: string): Promise<void>;
  close(): void;
}

/** Node's own, replaced by tests of systems that have run out of watches. */
export type WatchOne = (directory: string, told: (event: string, name: string | null) => void) => Pick<FSWatcher, 'on' | 'close'>;

export const watchOne: WatchOne = (directory, told) => watch(directory, { persistent: false }, told);

const directoriesPerTurn = 64;

/**
 * One watch for each directory and none for files, which the watch of their directory covers: on 50,000 files in 1,000 directories it starts 50 times
 * sooner, and in a fiftieth of the memory, than watching every file does.
 */
export const createDirectoryWatches = (root: string, listener: TreeListener, watchDirectory: WatchOne = watchOne): DirectoryWatches => {
  const watches = new Map<string, ReturnType<WatchOne>>();
  let closed = false;

  const drop = (directory: string): boolean => {
    const below = directory === '' ? '' : `${directory}/`;
    const gone = [...watches.keys()].filter(path => path === directory || path.startsWith(below));
    for (const path of gone) {
      watches.get(path)?.close();
      watches.delete(path);
    }
    return gone.length > 0;
  };

  const watchAt = (directory: string): boolean => {
    try {
      const watcher = watchDirectory(join(root, directory), (event, name) => told(directory, event, name));
      watcher.on('error', error => failed(directory, error));
      watches.set(directory, watcher);
      return true;
    } catch (error) {
      failed(directory, error);
      return false;
    }
  };

  const failed = (directory: string, error: unknown): void => {
    watches.get(directory)?.close();
    watches.delete(directory);
    // Removed meanwhile, a file or link by now, or closed to us: its parent tells when that changes. The vault itself has no parent that would.
    if (directory !== '' && isFileError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return;
    if (!closed) listener.failed(error);
  };

  const told = (directory: string, event: string, name: string | null): void => {
    const path = directory === '' ? (name ?? '') : `${directory}/${name ?? ''}`;
    if (closed || isReservedPath(path)) return;
    const kind = kindAt(path);
    if (name === null) {
      listener.changed(path);
    } else if (directory === '' && name === basename(root) && kind === 'nothing') {
      // A directory tells its own removal or move under its own name. Of the vault's there is no parent that tells it, too.
      rootMoved();
    } else if (kind !== 'directory') {
      listener.changed(drop(path) ? `${path}/` : path);
    } else if (event === 'rename' || !watches.has(path)) {
      // Otherwise only its attributes changed, which changes no document.
      void plant(path).then(() => listener.changed(`${path}/`));
    }
  };

  const rootMoved = (): void => {
    if (kindAt('') === 'directory') void plant('').then(() => listener.changed(''));
    else failed('', new Error('the directory of the vault is gone'));
  };

  const kindAt = (path: string): 'directory' | 'else' | 'nothing' => {
    try {
      const found = lstatSync(join(root, path), { throwIfNoEntry: false });
      if (found === undefined) return 'nothing';
      return found.isDirectory() ? 'directory' : 'else';
    } catch {
      return 'nothing';
    }
  };

  const plant = async (directory: string): Promise<void> => {
    drop(directory);
    const pending = [directory];
    for (let count = 1; pending.length > 0 && !closed; count += 1) {
      const next = pending.pop()!;
      // The watch first: what is made while we read the directory is told by it.
      if (!watches.has(next) && !watchAt(next)) continue;
      for (const path of directoriesIn(next)) pending.push(path);
      if (count % directoriesPerTurn === 0) await turn();
    }
  };

  const directoriesIn = (directory: string): readonly string[] => {
    try {
      return readdirSync(join(root, directory), { withFileTypes: true })
        .filter(entry => entry.isDirectory())
        .map(entry => (directory === '' ? entry.name : `${directory}/${entry.name}`))
        .filter(path => !isReservedPath(path));
    } catch {
      // Gone, or not to be entered; whoever lists the vault says so.
      return [];
    }
  };

  return {
    plant,
    close() {
      closed = true;
      drop('');
    },
  };
};
