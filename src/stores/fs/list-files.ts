import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { FileSystem, VfsEntry } from '#adapter-contracts';
import { isReservedPath } from '#document';
import { inspectParents, requireVault } from './safe-path.ts';
import { isFileError } from './vault-layout.ts';

const directoriesPerTurn = 64;

/**
 * Every file below a directory of the vault (or the file itself), in the order of the whole paths, outside the reserved directories; links and what
 * cannot be read are reported, never followed or skipped. An unsafe prefix throws `VaultError('invalid_request')`.
 */
export async function* listFiles(fs: FileSystem, root: string, prefix: string): AsyncGenerator<VfsEntry> {
  const start = prefix.replace(/\/+$/, '');
  requireVault(fs, root);
  if (start !== '' && inspectParents(fs, root, start).length > 0) return;
  const found = fs.stat(join(root, start));
  if (found === null || (start !== '' && isReservedPath(start))) return;
  if (found.kind !== 'directory') {
    yield entryOf(start, found.kind);
    return;
  }
  // A stack of pending paths in reverse order walks the tree in path order without recursion.
  const pending: { readonly path: string; readonly kind: VfsEntry['kind'] | 'directory' }[] = [{ path: start, kind: 'directory' }];
  for (let directories = 0; pending.length > 0; ) {
    const next = pending.pop()!;
    if (next.kind !== 'directory') {
      yield entryOf(next.path, next.kind);
      continue;
    }
    directories += 1;
    if (directories % directoriesPerTurn === 0) await turn();
    const inside = readDirectory(fs, root, next.path);
    if (typeof inside === 'string') yield { path: next.path, kind: 'unreadable', reason: inside };
    // One by one: spread as arguments, the files of a large directory overflow the stack.
    else for (const entry of inside.reverse()) pending.push(entry);
  }
}

const entryOf = (path: string, kind: VfsEntry['kind']): VfsEntry => {
  if (kind === 'file') return { path, kind };
  if (kind === 'symlink') return { path, kind, reason: 'a symbolic link; links are never followed' };
  return { path, kind, reason: 'not a regular file' };
};

/** What is inside, sorted so that the files below come out in order of their whole paths; or the reason why it cannot be read. */
const readDirectory = (fs: FileSystem, root: string, path: string) => {
  try {
    return fs
      .readDirectory(join(root, path))
      .map(({ name, kind }) => ({ path: path === '' ? name : `${path}/${name}`, kind }))
      .filter(entry => !isReservedPath(entry.path))
      .map(entry => ({ ...entry, sortKey: entry.kind === 'directory' ? `${entry.path}/` : entry.path }))
      .sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1));
  } catch (error) {
    // Removed while the walk was under way.
    if (isFileError(error, 'ENOENT')) return [];
    return error instanceof Error ? error.message : String(error);
  }
};
