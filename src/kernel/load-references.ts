import { checkPath, decodeUtf8, type ParsedFile, parseDocument } from '#document';
import { isVaultError } from '#errors';
import { type ReferencedSnapshot, referencedPaths, snapshotOf } from '#validation';
import type { Attempt } from './attempt.ts';
import { orInternalError } from './refusals.ts';

/**
 * Reads every document that a reference field names, so that the verdict stays a function of values (readings: references). A path that
 * cannot hold a document counts as absent; a read that fails is an internal error.
 */
export async function loadReferences(attempt: Attempt, parsed: ParsedFile): Promise<(path: string) => ReferencedSnapshot | null> {
  const snapshots = new Map<string, ReferencedSnapshot>();
  const { workspace, kernel } = attempt;
  if (workspace !== null) {
    for (const path of referencedPaths(parsed, kernel.registry)) {
      if (checkPath(path) !== null) continue;
      const stored = await orInternalError(`The referenced '${path}' cannot be read`, () => readOrAbsent(workspace.adapters.vfs, path));
      if (stored !== null) snapshots.set(path, snapshotOf(parseStored(stored.bytes), stored.hash, kernel.registry));
    }
  }
  return path => snapshots.get(path) ?? null;
}

async function readOrAbsent(vfs: { read(path: string): Promise<{ bytes: Uint8Array; hash: string } | null> }, path: string) {
  try {
    return await vfs.read(path);
  } catch (error) {
    if (isVaultError(error) && error.code === 'invalid_request') return null;
    throw error;
  }
}

/** A referenced file that is not UTF-8 exists but has no type; refusing it is the reference rule's business. */
function parseStored(bytes: Uint8Array): ParsedFile {
  try {
    return parseDocument(decodeUtf8(bytes));
  } catch (error) {
    if (!isVaultError(error)) throw error;
    return { kind: 'ordinary', text: '', reason: error.message };
  }
}
