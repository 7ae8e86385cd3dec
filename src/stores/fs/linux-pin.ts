import { closeSync, constants, openSync, readlinkSync, realpathSync } from 'node:fs';
import { foldPath } from '#document';

/**
 * Calls `use` with a path to a directory of the vault that no link put in its way meanwhile leads elsewhere. Throws `ENOENT` when it is gone, and
 * `ELOOP` when it, or a directory above it, is a link by now.
 */
export type Pin = <T>(directory: string, use: (path: string) => T) => T;

const gone = ' (deleted)';

const failure = (code: string, directory: string): Error => Object.assign(new Error(`${code}: '${directory}' was replaced`), { code });

/**
 * Node has no calls relative to an open directory, but Linux names those by their descriptors: what the descriptor really is can be asked, and the
 * name stays true to it. Null on other systems and where `/proc` does not answer so.
 */
export const linuxPin = (root: string): Pin | null => {
  if (process.platform !== 'linux') return null;
  try {
    // The vault itself may be reached through a link.
    const realRoot = realpathSync(root);
    const pin = pinBelow(root, realRoot);
    pin(root, () => undefined);
    return pin;
  } catch {
    return null;
  }
};

const pinBelow =
  (root: string, realRoot: string): Pin =>
  (directory, use) => {
    const expected = `${realRoot}${directory.slice(root.length)}`;
    const fd = openDirectory(expected);
    try {
      const path = `/proc/self/fd/${fd}`;
      const actual = readlinkSync(path);
      if (actual === `${expected}${gone}`) throw failure('ENOENT', directory);
      // Folded, because a disk that ignores case answers in the spelling it stored.
      if (actual !== expected && foldPath(actual) !== foldPath(expected)) throw failure('ELOOP', directory);
      return use(path);
    } finally {
      closeSync(fd);
    }
  };

const openDirectory = (path: string): number => {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    // A link, opened as a directory that may not be one.
    throw error instanceof Error && 'code' in error && error.code === 'ENOTDIR' ? failure('ELOOP', path) : error;
  }
};
