import type { FileSystem, StoredDocument } from '#adapter-contracts';
import { hashContent } from '#document';
import { inspectPath } from './safe-path.ts';
import { isFileError } from './vault-layout.ts';

/** A document as the contract hands it out. The digest is the version too: equal bytes have equal versions. */
export const storedDocument = (bytes: Uint8Array): StoredDocument => {
  const hash = hashContent(bytes);
  return { bytes, version: hash, hash };
};

/** The document at `path`, or null. Takes no lock: a rename replaces files whole. */
export const readDocument = (fs: FileSystem, root: string, path: string): StoredDocument | null => {
  const { full, target } = inspectPath(fs, root, path);
  if (target === null) return null;
  try {
    return storedDocument(fs.readFile(full));
  } catch (error) {
    // Removed since the look.
    if (isFileError(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
};
