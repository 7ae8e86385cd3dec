import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** The repository around a vault. */
export interface VaultRepository {
  /** Absolute; of a linked worktree the one that all of them share. */
  readonly gitDirectory: string;
  /** Where the vault lies in the repository, with `/`; empty = at its top. */
  readonly prefix: string;
}

/** The ref that Sheaf writes, and the only one. */
export const historyRef = 'refs/sheaf/history';

/**
 * Finds the repository that the vault at `root` lies in, or says why there is none to write to. Whatever would make git write elsewhere than below the
 * directory we looked at is refused: links, a `.git` file that the other side does not answer, a shared directory named from a plain one.
 */
export const findRepository = (root: string): VaultRepository | { readonly reason: string } => {
  for (let directory = root; ; directory = dirname(directory)) {
    const found = lstatSync(join(directory, '.git'), { throwIfNoEntry: false });
    if (found !== undefined) {
      const prefix = relative(directory, root).split(sep).join('/');
      try {
        return { gitDirectory: checkedDirectory(join(directory, '.git')), prefix };
      } catch (error) {
        return { reason: error instanceof Error ? error.message : String(error) };
      }
    }
    if (directory === dirname(directory)) return { reason: 'the vault lies in no git repository: make one with `git init`' };
  }
};

const checkedDirectory = (place: string): string => {
  const found = lstatSync(place);
  if (found.isDirectory()) {
    if (exists(join(place, 'commondir'))) throw refused(join(place, 'commondir'), 'names another directory');
    return plainRepository(place);
  }
  if (found.isFile()) return plainRepository(sharedDirectory(place));
  throw refused(place, 'is a symbolic link');
};

/** The directory that a linked worktree shares with its repository; believed only when that repository names this very worktree. */
const sharedDirectory = (file: string): string => {
  const target = /^gitdir: (.+)$/m.exec(readSmall(file))?.[1];
  const own = target === undefined ? null : resolve(dirname(file), target);
  const shared = own === null ? null : resolve(own, '..', '..');
  const answers =
    own !== null &&
    lstatSync(own, { throwIfNoEntry: false })?.isDirectory() === true &&
    exists(join(own, 'gitdir')) &&
    resolve(own, readSmall(join(own, 'gitdir')).trim()) === file &&
    resolve(own, readSmall(join(own, 'commondir')).trim()) === shared;
  if (shared === null || !answers) throw refused(file, 'names a repository elsewhere that does not know this worktree');
  return shared;
};

/** Everything on the way to what git will write must be what it seems. */
const plainRepository = (directory: string): string => {
  for (const name of ['', 'objects', 'refs']) requireKind(join(directory, name), 'directory', true);
  for (const name of ['objects/info', 'objects/pack', 'refs/sheaf']) requireKind(join(directory, name), 'directory', false);
  for (const name of ['HEAD', 'config']) requireKind(join(directory, name), 'file', true);
  for (const name of [historyRef, `${historyRef}.lock`, 'packed-refs']) requireKind(join(directory, name), 'file', false);
  const linked = readdirSync(join(directory, 'objects'), { withFileTypes: true }).find((entry: Dirent) => entry.isSymbolicLink());
  if (linked !== undefined) throw refused(join(directory, 'objects', linked.name), 'is a symbolic link');
  return directory;
};

const requireKind = (place: string, kind: 'directory' | 'file', needed: boolean): void => {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined && !needed) return;
  const isKind = kind === 'directory' ? found?.isDirectory() : found?.isFile();
  if (isKind !== true) throw refused(place, `is no ${kind}`);
};

const exists = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false }) !== undefined;

/** Git's own pointers are one line long. */
const readSmall = (file: string): string => {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > 4_096) throw refused(file, 'is not readable as a line of git');
  return readFileSync(file, 'utf8');
};

const refused = (place: string, why: string): Error => new Error(`nothing is written to this repository, because '${place}' ${why}`);
