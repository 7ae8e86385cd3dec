import type { ContentStore } from './content-store.ts';

/** What a vault in memory keeps of its history, in bytes; the contents that were kept first go first. */
const memoryHistoryBytes = 64 << 20;

/** Contents that live as long as the process, up to `maxBytes`. */
export const createMemoryContentStore = (maxBytes = memoryHistoryBytes, now: () => number = Date.now): ContentStore => {
  const contents = new Map<string, { readonly bytes: Uint8Array; readonly keptAt: number }>();
  let held = 0;
  const remove = (hash: string): void => {
    held -= contents.get(hash)?.bytes.byteLength ?? 0;
    contents.delete(hash);
  };
  return {
    async keep(given) {
      for (const { hash, bytes } of given) {
        // Kept anew, so that what is used last goes last.
        remove(hash);
        contents.set(hash, { bytes: bytes.slice(), keptAt: now() });
        held += bytes.byteLength;
      }
      for (const hash of contents.keys()) {
        if (held <= maxBytes) break;
        remove(hash);
      }
    },
    find: async hash => contents.get(hash)?.bytes.slice() ?? null,
    async *list() {
      for (const [hash, { bytes, keptAt }] of contents) yield { hash, bytes: bytes.byteLength, keptAt };
    },
    remove: async hash => remove(hash),
    sweep: async () => undefined,
    flush: async () => undefined,
    problems: () => [],
  };
};
