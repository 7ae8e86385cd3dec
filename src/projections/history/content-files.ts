import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { hashContent } from '#document';
import type { KeptContent } from './content-store.ts';

// A link swapped in between our look and the opening must not be followed; a pipe in the file's place must not stop us.
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Contents as plain files below `.ssss/history`: the first two hex digits are the directory, the others the name. */
export interface ContentFiles {
  /** The bytes with this hash; null when the file is absent, no regular file, or damaged. */
  read(hash: string): Uint8Array | null;
  /** Whether something stands under this hash; it is not read. */
  has(hash: string): boolean;
  /** Writes a content whole; a file that holds it already stays, a damaged one is replaced. Throws when the place is not ours to write. */
  write(hash: string, bytes: Uint8Array): void;
  /** Checks the directories anew from now on; within one look each is checked once. */
  lookAgain(): void;
  remove(hash: string): void;
  /** The contents of one of the 256 directories, and what writers left unfinished there. */
  shard(name: string): {
    readonly contents: readonly KeptContent[];
    readonly unfinished: readonly { readonly path: string; readonly at: number }[];
  };
}

/** Names of all shards. */
export const shardNames: readonly string[] = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

const ssss = '.ssss';
const history = 'history';
const contentName = /^[0-9a-f]{62}$/;
const unfinishedName = /^tmp-/;

export const createContentFiles = (root: string): ContentFiles => {
  const shardOf = (hash: string): string => hash.slice(7, 9);
  const pathOf = (hash: string): string => join(root, ssss, history, shardOf(hash), hash.slice(9));

  /** Throws when a directory on the way is there and is no real directory: a link would lead reads and writes out of the vault. */
  const checkWay = (shard: string): boolean => {
    for (const place of [ssss, join(ssss, history), join(ssss, history, shard)]) {
      const found = lstatSync(join(root, place), { throwIfNoEntry: false });
      if (found === undefined) return false;
      if (!found.isDirectory())
        throw new Error(`'${place}' is not a directory; Sheaf keeps past contents there. Move it away and try again.`);
    }
    return true;
  };
  /** Shards whose way was checked since the last look. */
  const checked = new Set<string>();
  const makeWay = (shard: string): void => {
    if (checked.has(shard)) return;
    if (!checkWay(shard)) {
      // Not recursive from the root: a vault that was moved away meanwhile must not come back as a husk.
      for (const place of [join(ssss, history), join(ssss, history, shard)]) makeDirectory(join(root, place));
      checkWay(shard);
    }
    checked.add(shard);
  };
  const readWhole = (path: string): Uint8Array | null => {
    let fd: number;
    try {
      fd = openSync(path, readFlags);
    } catch {
      return null;
    }
    try {
      const found = fstatSync(fd);
      if (!found.isFile()) return null;
      const bytes = Buffer.allocUnsafe(found.size);
      let filled = 0;
      for (let count = -1; count !== 0 && filled < bytes.length; filled += count)
        count = readSync(fd, bytes, filled, bytes.length - filled, filled);
      return bytes.subarray(0, filled);
    } finally {
      closeSync(fd);
    }
  };
  const read = (hash: string): Uint8Array | null => {
    if (!checkWay(shardOf(hash))) return null;
    const bytes = readWhole(pathOf(hash));
    return bytes !== null && hashContent(bytes) === hash ? bytes : null;
  };
  return {
    read,
    has: hash => lstatSync(pathOf(hash), { throwIfNoEntry: false }) !== undefined,
    lookAgain: () => checked.clear(),
    write(hash, bytes) {
      makeWay(shardOf(hash));
      const path = pathOf(hash);
      // Straight under its name and without a sync, which is half the cost: a content that is being written, or that a crash tore, does not have its
      // hash, so it counts as missing, and is written anew when it is met again.
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined && create(path, bytes)) return;
      if (read(hash) !== null) return;
      const temporary = join(root, ssss, history, shardOf(hash), `tmp-${randomUUID()}`);
      if (create(temporary, bytes)) renameSync(temporary, path);
    },
    remove(hash) {
      if (checkWay(shardOf(hash))) unlinkIfThere(pathOf(hash));
    },
    shard(name) {
      if (!checkWay(name)) return { contents: [], unfinished: [] };
      const directory = join(root, ssss, history, name);
      const contents: KeptContent[] = [];
      const unfinished: { path: string; at: number }[] = [];
      for (const entry of readdirSync(directory)) {
        const found = lstatSync(join(directory, entry), { throwIfNoEntry: false });
        if (found === undefined || !found.isFile()) continue;
        if (contentName.test(entry)) contents.push({ hash: `sha256:${name}${entry}`, bytes: found.size, keptAt: found.mtimeMs });
        else if (unfinishedName.test(entry)) unfinished.push({ path: join(directory, entry), at: found.mtimeMs });
      }
      return { contents, unfinished };
    },
  };
};

/** Writes a new file; false when one is there already. What could not be written to its end is removed again. */
const create = (path: string, bytes: Uint8Array): boolean => {
  let fd: number;
  try {
    fd = openSync(path, createFlags, 0o666);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, done);
  } catch (error) {
    unlinkIfThere(path);
    throw error;
  } finally {
    closeSync(fd);
  }
  return true;
};

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;

/** Removes a file that may be gone already. */
export const unlinkIfThere = (path: string): void => {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
};

const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
};
