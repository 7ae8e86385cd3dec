import { join } from 'node:path';
import type { FileSystem } from '#adapter-contracts';

// A second write within the resolution of the file system's clock leaves the times of the first; some count in whole seconds.
const settledNs = 2_000_000_000n;

/**
 * Tells one state of a file from every other: whoever changes bytes changes at least the time of the change, which no program can set back. Null for
 * what is no file, and for a file that changed so lately, or in the future, that its times say nothing.
 */
export const stampOf = (fs: FileSystem, root: string, path: string): string | null => {
  const found = fs.stat(join(root, path));
  if (found?.kind !== 'file') return null;
  const { mtimeNs, ctimeNs, size, ino } = found;
  const settled = BigInt(Date.now()) * 1_000_000n - settledNs;
  if (mtimeNs > settled || ctimeNs > settled) return null;
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
};
