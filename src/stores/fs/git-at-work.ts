import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A lock this old was left behind by a git that died. */
const staleLockMs = 30_000;

/** Whether git is checking out or merging in the repository that holds `root`: half of its work is not what anybody meant. */
export const gitIsAtWork = (root: string): boolean => {
  const directory = gitDirectory(root);
  if (directory === null) return false;
  const lock = statOf(join(directory, 'index.lock'));
  return lock !== null && Date.now() - lock.mtimeMs < staleLockMs;
};

/** The directory in which git keeps the index of this working tree; null outside of a repository. */
const gitDirectory = (directory: string): string | null => {
  const place = join(directory, '.git');
  const found = statOf(place);
  if (found?.isDirectory() === true) return place;
  if (found?.isFile() === true) return linkedDirectory(place);
  return dirname(directory) === directory ? null : gitDirectory(dirname(directory));
};

/** Linked working trees and submodules have a file there that names the directory. */
const linkedDirectory = (file: string): string | null => {
  try {
    const named = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
    return named === undefined ? null : resolve(dirname(file), named.trim());
  } catch {
    return null;
  }
};

const statOf = (path: string) => {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
};
