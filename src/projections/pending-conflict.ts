import type { Vfs } from '#adapter-contracts';
import { decodeUtf8, parseDocument } from '#document';

/** Where `sheaf memory check --record` puts conflicts. It is looked through file by file, so that one that cannot be read is never overlooked. */
const conflictDirectory = 'conflicts/';

/**
 * The path of a pending `conflict` document that names `slug` as the contradicting memory, or null (readings: memory conflicts). `known` gives the paths of the
 * conflicts anywhere in the vault, from a derived read model; while there is none, or it fails, every document is read. A conflict that cannot be read
 * throws: while it cannot be known, nothing is promoted.
 */
export const findPendingConflict = async (vfs: Vfs, slug: string, known?: () => Promise<readonly string[]>): Promise<string | null> => {
  const elsewhere = await known?.().catch(() => null);
  if (elsewhere === undefined || elsewhere === null) return firstPending(vfs, slug, filesBelow(vfs));
  return (await firstPending(vfs, slug, filesBelow(vfs, conflictDirectory))) ?? (await firstPending(vfs, slug, elsewhere));
};

async function* filesBelow(vfs: Vfs, prefix?: string): AsyncIterable<string> {
  for await (const { path, kind } of vfs.list(prefix)) if (kind === 'file' && path.endsWith('.md')) yield path;
}

const firstPending = async (vfs: Vfs, slug: string, paths: AsyncIterable<string> | readonly string[]): Promise<string | null> => {
  for await (const path of paths) if (await isPending(vfs, slug, path)) return path;
  return null;
};

const isPending = async (vfs: Vfs, slug: string, path: string): Promise<boolean> => {
  const stored = await readConflict(vfs, path);
  const parsed = stored === null ? null : parseDocument(decodeUtf8(stored));
  if (parsed?.kind !== 'document') return false;
  const { type, status, new_slug: newSlug } = parsed.document.data;
  return (type === 'conflict' || type === 'ssss:conflict') && status === 'pending' && newSlug === slug;
};

/** A file of another kind that cannot be read says nothing about memories; one in the directory of conflicts may be one. */
const readConflict = async (vfs: Vfs, path: string): Promise<Uint8Array | null> => {
  try {
    const stored = await vfs.read(path);
    if (stored !== null && !path.startsWith(conflictDirectory)) decodeUtf8(stored.bytes);
    return stored?.bytes ?? null;
  } catch (error) {
    if (path.startsWith(conflictDirectory)) throw error;
    return null;
  }
};
