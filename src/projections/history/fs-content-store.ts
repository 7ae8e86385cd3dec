import { setImmediate as turn } from 'node:timers/promises';
import { reasonOf } from '#errors';
import { createContentFiles, shardNames, unlinkIfThere } from './content-files.ts';
import type { ContentStore } from './content-store.ts';

/** Where a commit begins to wait for the writer: far more than a disk falls behind in a burst, far less than a process may hold. */
const mostWaiting = { bytes: 64 << 20, contents: 8_192 };
/** How long one turn of the writer may keep the process from its commits. */
const turnMilliseconds = 2;
/** Hashes of what was written last, so that the `before` of a change, which was somebody's `after`, is not read again. */
const rememberedHashes = 16_384;
/** A file that a writer made and did not finish within this time belongs to one that died. */
const unfinishedForMilliseconds = 3_600_000;

/**
 * Contents in `.ssss/history`, shared by every process that shares the vault: equal contents have equal names, so nobody needs a lock. Written behind the
 * commits, in short turns while those wait for the disk.
 */
export const createFsContentStore = (root: string): ContentStore => {
  const files = createContentFiles(root);
  const waiting = new Map<string, Uint8Array>();
  const written = new Set<string>();
  const problems = new Set<string>();
  let waitingBytes = 0;
  let writing: Promise<void> | null = null;

  const writeOne = (hash: string, bytes: Uint8Array): void => {
    try {
      if (written.has(hash) && files.has(hash)) return;
      files.write(hash, bytes);
      written.add(hash);
      if (written.size > rememberedHashes) for (const oldest of written) if (written.delete(oldest)) break;
    } catch (error) {
      // History never fails a commit; a person is told.
      problems.add(`A past content could not be kept in .ssss/history: ${reasonOf(error)}`);
    }
  };
  const readOne = (hash: string): Uint8Array | null => {
    try {
      return files.read(hash);
    } catch (error) {
      problems.add(`Past contents cannot be read from .ssss/history: ${reasonOf(error)}`);
      return null;
    }
  };
  const writeWaiting = async (): Promise<void> => {
    while (waiting.size > 0) {
      await turn();
      files.lookAgain();
      const until = performance.now() + turnMilliseconds;
      for (const [hash, bytes] of waiting) {
        writeOne(hash, bytes);
        waiting.delete(hash);
        waitingBytes -= bytes.byteLength;
        if (performance.now() > until) break;
      }
    }
  };
  const start = (): Promise<void> => {
    writing ??= writeWaiting().finally(() => {
      writing = null;
    });
    return writing;
  };
  return {
    async keep(contents) {
      for (const { hash, bytes } of contents) {
        if (waiting.has(hash)) continue;
        waiting.set(hash, bytes);
        waitingBytes += bytes.byteLength;
      }
      if (waiting.size === 0) return;
      const done = start();
      if (waitingBytes > mostWaiting.bytes || waiting.size > mostWaiting.contents) await done;
    },
    async find(hash) {
      const bytes = waiting.get(hash) ?? readOne(hash);
      // Removed, or damaged since: the next content with this hash must be written.
      if (bytes === null) written.delete(hash);
      return bytes;
    },
    async *list() {
      await (writing ?? undefined);
      for (const name of shardNames) yield* files.shard(name).contents;
    },
    async remove(hash) {
      written.delete(hash);
      files.remove(hash);
    },
    async sweep() {
      const dead = Date.now() - unfinishedForMilliseconds;
      for (const name of shardNames) for (const { path, at } of files.shard(name).unfinished) if (at < dead) unlinkIfThere(path);
    },
    flush: async () => writing ?? undefined,
    problems: () => [...problems],
  };
};
