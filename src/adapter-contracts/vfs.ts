import type { IntentJournal } from './intent-journal.ts';
import type { StoredDocument } from './stored-document.ts';

/** What the caller believes is stored: this version, or nothing. */
export type Expected = { readonly version: string } | { readonly ifAbsent: true };

/** How a scan reports an entry that is not a readable Markdown file; nothing is ever skipped silently. */
export interface VfsEntry {
  readonly path: string;
  readonly kind: 'file' | 'symlink' | 'other' | 'unreadable';
  /** Present for kinds other than `file`. */
  readonly reason?: string;
}

/**
 * The vault's documents by path (§6.7). Unsafe paths, symbolic links on the way, a directory as target and a file as parent are
 * refused with `VaultError('invalid_request')`; a lost compare-and-swap with `VaultError('version_conflict')`; anything else
 * that fails is a plain Error. A write is whole or absent, never partial.
 */
export interface Vfs {
  /** The document at `path`, or null. Takes no lock. */
  read(path: string): Promise<StoredDocument | null>;
  /** Durable when it resolves. Inside `IntentJournal.run` for the same path it joins that commit; outside it is a commit of its own. */
  writeAtomic(path: string, bytes: Uint8Array, expected: Expected): Promise<StoredDocument>;
  /** Durable when it resolves. */
  remove(path: string, expected: { readonly version: string }): Promise<void>;
  /** Every file below `prefix` outside the reserved and dot-git directories, sorted by path (UTF-16 code units). */
  list(prefix?: string): AsyncIterable<VfsEntry>;
  /**
   * A stored document that some system would mix up with `path`: in its whole path, or in a directory on the way, it differs only by
   * letter case or Unicode form (readings: case twins). Null when there is none. Confirmed against what is stored now; a store may know
   * only documents that its event log has recorded.
   */
  findTwin(path: string): Promise<string | null>;
  /**
   * A mark of the bytes at a listed path that changes whenever they do, much cheaper than reading them; null when none can be given, as for bytes
   * written a moment ago. Absent in stores where reading is as cheap.
   */
  stamp?(path: string): string | null;
  /** Present when the stored state outlives the process (§6.3). */
  intentJournal?(): IntentJournal;
}
