import type { StoredDocument, VfsEntry } from '#adapter-contracts';
import type { FileChange } from '../derived-projection.ts';
import { isPlainMarkdown, readSaved, readStored, reportByName, type ScanSource, scanBytes } from '../scan-vault.ts';
import type { HeldKind } from './coordinator-tables.ts';

/** A file as it stands now. */
export interface Look {
  readonly path: string;
  /** Taken before the bytes were read: a change in between makes it too old for them, never too new. */
  readonly stamp: string | null;
  /** Null when nothing was read. */
  readonly hash: string | null;
  readonly kind: HeldKind;
  /** What projections may show; null for what is reported. */
  readonly file: FileChange['file'];
  /** Nothing stands at the path. */
  readonly absent: boolean;
  /** Bytes read. */
  readonly size: number;
}

const nothing = (path: string, absent: boolean): Look => ({ path, stamp: null, hash: null, kind: 0, file: null, absent, size: 0 });

/** Classifies a file by its name and its kind on the disk; null when it has to be read. */
export const lookAtName = async (source: ScanSource, entry: VfsEntry): Promise<Look | null> => {
  // Nearly every file; without waiting for anything.
  if (isPlainMarkdown(entry)) return null;
  return (await reportByName(source, entry)) === null ? null : nothing(entry.path, false);
};

/** Reads and parses a file that its name does not rule out. What an editor has just cut to nothing is waited for, with `patient` also what it has taken away. */
export const lookInside = async (source: ScanSource, path: string, { patient = false } = {}): Promise<Look> => {
  let stamp = source.vfs.stamp?.(path) ?? null;
  let stored = await readStored(source.vfs, path);
  if ('reason' in stored ? patient && stored.absent : stored.bytes.length === 0) {
    stored = await readSaved(source, path);
    // The one from before may belong to other bytes.
    stamp = null;
  }
  return 'reason' in stored ? nothing(path, stored.absent) : judge(path, stamp, stored);
};

/** What the bytes at a path amount to. */
const judge = (path: string, stamp: string | null, stored: StoredDocument): Look => {
  const scanned = scanBytes(path, stored);
  const read = { path, stamp, hash: stored.hash, absent: false, size: stored.bytes.byteLength };
  if (scanned.kind === 'reported') return { ...read, kind: 0, file: null };
  return { ...read, kind: scanned.parsed.kind === 'document' ? 2 : 1, file: scanned };
};
