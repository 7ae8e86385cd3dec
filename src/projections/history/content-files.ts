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
  const makeWay = (shard: string): void => {
    if (checkWay(shard)) return;
    // Not recursive from the root: a vault that was moved away meanwhile must not come back as a husk.
    for (const place of [join(ssss, history), join(ssss, history, shard)]) makeDirectory(join(root, place));
    checkWay(shard);
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
    write(hash, bytes) {
      makeWay(shardOf(hash));
      const path = pathOf(hash);
      if (read(hash) !== null) return;
      const temporary = join(root, ssss, history, shardOf(hash), `tmp-${randomUUID()}`);
      const fd = openSync(temporary, createFlags, 0o666);
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, done);
      } finally {
        closeSync(fd);
      }
      // Not synced: what a power cut tears does not have its hash, so it counts as missing and is written anew when it is met again.
      renameSync(temporary, path);
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

/** Removes a file that may be gone already. */
export const unlinkIfThere = (path: string): void => {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
};

const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
};
