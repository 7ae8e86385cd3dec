import type { Vfs } from '#adapter-contracts';
import { decodeUtf8, parseDocument } from '#document';

/** Where `conflict` documents live. One directory, because every promotion of a memory looks here, and reading a whole vault each time would not do. */
const conflictDirectory = 'conflicts/';

/**
 * The path of a pending `conflict` document that names `slug` as the contradicting memory, or null (readings: memory conflicts). A
 * conflict that cannot be read throws: while it cannot be known, nothing is promoted.
 */
export const findPendingConflict = async (vfs: Vfs, slug: string): Promise<string | null> => {
  for await (const { path, kind } of vfs.list(conflictDirectory)) {
    const stored = kind === 'file' && path.endsWith('.md') ? await vfs.read(path) : null;
    const parsed = stored === null ? null : parseDocument(decodeUtf8(stored.bytes));
    if (parsed?.kind !== 'document') continue;
    const { type, status, new_slug: newSlug } = parsed.document.data;
    if ((type === 'conflict' || type === 'ssss:conflict') && status === 'pending' && newSlug === slug) return path;
  }
  return null;
};
