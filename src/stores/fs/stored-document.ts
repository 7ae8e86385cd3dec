import type { FileSystem, StoredDocument } from '#adapter-contracts';
import { hashContent } from '#document';
import { type InspectedPath, inspectPath, linkRefusal, noFileRefusal, requireVault } from './safe-path.ts';
import { isFileError } from './vault-layout.ts';

/** A document as the contract hands it out. The digest is the version too: equal bytes have equal versions. */
export const storedDocument = (bytes: Uint8Array): StoredDocument => {
  const hash = hashContent(bytes);
  return { bytes, version: hash, hash };
};

/** The document at `path`, or null. Takes no lock: a rename replaces files whole. */
export const readDocument = (fs: FileSystem, root: string, path: string): StoredDocument | null => {
  const bytes = readInspected(fs, inspectPath(fs, root, path), path);
  if (bytes !== null) return storedDocument(bytes);
  requireVault(fs, root);
  return null;
};

/** The bytes of a document that was just looked at, or null. What became of it since, a link or nothing, counts. */
export const readInspected = (fs: FileSystem, { full, target }: InspectedPath, path: string): Uint8Array | null => {
  if (target === null) return null;
  try {
    return fs.readFile(full);
  } catch (error) {
    if (isFileError(error, 'ENOENT', 'ENOTDIR')) return null;
    if (isFileError(error, 'EINVAL', 'ENXIO')) throw noFileRefusal(path);
    // Opening never follows a link (EMLINK on FreeBSD).
    if (isFileError(error, 'ELOOP', 'EMLINK')) throw linkRefusal(path);
    throw error;
  }
};
