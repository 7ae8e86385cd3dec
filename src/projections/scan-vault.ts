import type { StoredDocument, Vfs, VfsEntry } from '#adapter-contracts';
import { conflictMarkers, decodeUtf8, hashContent, type ParsedFile, parseDocument } from '#document';
import { reasonOf } from '#errors';
import type { ReportedFile } from './file-account.ts';
import { fileNameKind } from './file-name-kind.ts';
import { readSettled } from './read-settled.ts';
import type { ScanSource } from './scan-source.ts';

export type { ScanSource } from './scan-source.ts';

/** One file of a vault after reading it: Markdown that was parsed, or a file that is reported with its reason. */
export type ScannedFile =
  | { readonly kind: 'markdown'; readonly path: string; readonly hash: string; readonly parsed: ParsedFile }
  | { readonly kind: 'reported'; readonly report: ReportedFile; readonly original?: string };

/**
 * Reads every file below `prefix`, sorted by path. A file that cannot be read, decoded or trusted becomes a report; nothing on the disk makes
 * the scan throw or skip. Markdown whose frontmatter is refused is still given as parsed Markdown, so that `check` can name every problem.
 */
export async function* scanVault(source: ScanSource, prefix?: string): AsyncIterable<ScannedFile> {
  for await (const entry of source.vfs.list(prefix)) yield await scanFile(source, entry);
}

/** Classifies and reads one file; see `scanVault`. */
export const scanFile = async (source: ScanSource, entry: VfsEntry): Promise<ScannedFile> => {
  const report = await reportByName(source, entry);
  if (report !== null) return report;
  const stored = await readSaved(source, entry.path);
  if ('reason' in stored) return reported(entry.path, 'unreadable', stored.reason);
  return scanBytes(entry.path, stored);
};

/** Judges the bytes of one Markdown file. */
export const scanBytes = (path: string, stored: StoredDocument): ScannedFile => {
  let text: string;
  try {
    text = decodeUtf8(stored.bytes);
  } catch (error) {
    return reported(path, 'invalid', reasonOf(error));
  }
  const marker = conflictMarkers(text)[0];
  if (marker !== undefined) {
    const line = marker.line ?? 1;
    const reason = `git conflict markers at line ${line}: resolve them in an editor; the file is left as it is`;
    return { kind: 'reported', report: { path, kind: 'conflict_marker', reason, line } };
  }
  return { kind: 'markdown', path, hash: stored.hash, parsed: parseDocument(text) };
};

/** A Markdown file by its name, as nearly every one is: known without waiting for anything. */
export const isPlainMarkdown = ({ path, kind }: VfsEntry): boolean => kind === 'file' && fileNameKind(path).kind === 'markdown';

/** A file that its name or its kind on the disk keeps from being read as Markdown; null when it is to be read. */
export const reportByName = async (source: ScanSource, entry: VfsEntry): Promise<(ScannedFile & { kind: 'reported' }) | null> => {
  const { path } = entry;
  if (entry.kind !== 'file') return reported(path, 'unreadable', entry.reason ?? `a ${entry.kind} is not a document`);
  const name = fileNameKind(path);
  switch (name.kind) {
    case 'markdown':
      return null;
    case 'not_markdown':
      return reported(path, 'not_markdown', 'not a Markdown file; documents end in .md');
    case 'temporary':
      if (path.endsWith('.md') && (await isRecorded(source, path))) return null;
      return reported(path, 'temporary', 'a temporary or backup file of an editor');
    case 'merge_side':
      if (!path.endsWith('.md')) return reported(path, 'not_markdown', 'not a Markdown file; documents end in .md');
      if ((await isRecorded(source, path)) || !('bytes' in (await readStored(source.vfs, name.original)))) return null;
      return reported(path, 'temporary', `a side of the merge of '${name.original}'`);
    case 'stub':
      return reported(path, 'stub', `a cloud drive holds only a placeholder for '${name.original}': download it again`, name.original);
    case 'conflict_copy':
      if (!(await isConflictCopy(source, path, name))) return null;
      return reported(
        path,
        'conflict_copy',
        `a sync tool's copy of '${name.original}': merge it there and delete this file`,
        name.original,
      );
  }
};

/** A document that came through the contract is one, whatever its name makes of it. */
const isRecorded = async (source: ScanSource, path: string): Promise<boolean> =>
  (await source.events.lastRecorded(source.workspaceId, path)) !== null;

/** An uncertain name counts only beside its original. */
const isConflictCopy = async (
  source: ScanSource,
  path: string,
  name: { readonly original: string; readonly certain: boolean },
): Promise<boolean> => {
  if (await isRecorded(source, path)) return false;
  return name.certain || 'bytes' in (await readStored(source.vfs, name.original));
};

/** Why there is nothing to read at a path; only `absent` means that nothing is there. */
interface Unread {
  readonly reason: string;
  readonly absent: boolean;
}

/** The stored file, or why there is none to read. */
export const readStored = (vfs: Vfs, path: string): Promise<StoredDocument | Unread> => orReason(path, () => vfs.read(path));

/** As `readStored`, once a save that is under way is over. */
export const readSaved = (source: ScanSource, path: string): Promise<StoredDocument | Unread> =>
  orReason(path, () => readSettled(source, path));

const orReason = async (path: string, read: () => Promise<StoredDocument | null>): Promise<StoredDocument | Unread> => {
  try {
    return (await read()) ?? { reason: absence(path), absent: true };
  } catch (error) {
    return { reason: reasonOf(error), absent: false };
  }
};

/** A name that is not UTF-8 is listed with replacement characters, and under that name there is nothing. */
const absence = (path: string): string =>
  path.includes('\uFFFD') ? 'its name is not valid UTF-8, so it cannot be opened: rename it' : 'vanished while the vault was read';

/** §10.1: `sha256:<hex>` over the sorted lines `<sha256> <path>` of all documents; equal vaults have equal hashes. */
export const vaultHash = (documents: readonly { readonly path: string; readonly hash: string }[]): string =>
  hashContent(
    documents
      .map(document => `${document.hash.replace(/^sha256:/, '')} ${document.path}\n`)
      .sort()
      .join(''),
  );

const reported = (path: string, kind: ReportedFile['kind'], reason: string, original?: string): ScannedFile & { kind: 'reported' } => ({
  kind: 'reported',
  report: { path, kind, reason },
  ...(original === undefined ? {} : { original }),
});
