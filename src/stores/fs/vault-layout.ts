import { dirname, join, relative, sep } from 'node:path';
import type { FileSystem } from '#adapter-contracts';

/** Where the store keeps what is not a document; absolute paths (docs/reference/vault-layout.md). */
export interface VaultLayout {
  readonly root: string;
  readonly events: string;
  readonly derived: string;
  readonly coordination: string;
  readonly locks: string;
  readonly journals: string;
  readonly temporary: string;
  readonly quarantine: string;
}

export const vaultLayout = (root: string): VaultLayout => ({
  root,
  events: join(root, '.ssss', 'events'),
  derived: join(root, '.ssss', 'derived'),
  coordination: join(root, '.ssss', 'coordination'),
  locks: join(root, '.ssss-intents', 'locks'),
  journals: join(root, '.ssss-intents', 'journal'),
  temporary: join(root, '.ssss-intents', 'tmp'),
  quarantine: join(root, '.ssss-intents', 'quarantine'),
});

/** `path` as the vault spells it: relative, with `/`. */
export const vaultRelative = (root: string, path: string): string => relative(root, path).split(sep).join('/');

/** Throws when `directory`, or a directory between it and the root, exists as anything but a real directory: a link would lead writes out of the vault. */
export const checkInternalDirectory = (fs: FileSystem, root: string, directory: string): void => {
  if (directory === root) return;
  checkInternalDirectory(fs, root, dirname(directory));
  const found = fs.stat(directory);
  if (found !== null && found.kind !== 'directory') {
    throw new Error(
      `'${vaultRelative(root, directory)}' is a ${found.kind}; Sheaf needs a real directory there. Move it away and try again.`,
    );
  }
};

/** Creates `directory` and what is missing above it, each name durable before anything is put inside. */
export const makeInternalDirectory = (fs: FileSystem, root: string, directory: string): void => {
  checkInternalDirectory(fs, root, directory);
  if (directory === root || fs.stat(directory) !== null) return;
  const parent = dirname(directory);
  makeInternalDirectory(fs, root, parent);
  makeDirectoryOnce(fs, directory);
  fs.syncDirectorySync(parent);
};

/**
 * Makes the names in `directory` durable, and its own name with those of all above it: whoever made one of them may have died before the sync, or not
 * yet have come to it.
 */
export const syncUpwards = (fs: FileSystem, root: string, directory: string): void => {
  for (let at = directory; ; at = dirname(at)) {
    fs.syncDirectorySync(at);
    if (at === root) return;
  }
};

/** Makes a directory that another process may be making too; true when this call made it. */
export const makeDirectoryOnce = (fs: FileSystem, directory: string): boolean => {
  try {
    fs.makeDirectory(directory);
    return true;
  } catch (error) {
    if (isFileError(error, 'EEXIST')) return false;
    throw error;
  }
};

/** Whether `error` came from the file system with this code. */
export const isFileError = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
