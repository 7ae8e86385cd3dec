import type { LastRecorded } from '#adapter-contracts';
import { isIndexPath } from '#document';
import type { FileCounter } from './file-account.ts';
import { readSaved, readStored, type ScannedFile, type ScanSource, scanBytes } from './scan-vault.ts';

/** One way in which files and log disagree, or a file that needs a person (readings: drift). */
export interface DriftRow {
  /**
   * `drift`: the log knows the path and records other bytes. `untracked`: a document the log does not know. The others name what stands in
   * the way: git conflict markers, a sync tool's copy, a cloud placeholder, a file that cannot be read.
   */
  readonly kind: 'drift' | 'untracked' | 'conflict_marker' | 'conflict_copy' | 'stub' | 'unreadable';
  readonly path: string;
  readonly reason: string;
  /** What an adoption would record; null where nothing can be adopted. */
  readonly change: 'create' | 'replace' | 'delete' | null;
  readonly recorded_hash: string | null;
  readonly stored_hash: string | null;
  /** The document that a copy or placeholder stands for. */
  readonly original?: string;
}

/** Compares one file that is to be read as Markdown with what the log last recorded for its path. */
export const inspectFile = async (source: ScanSource, path: string, counter: FileCounter): Promise<readonly DriftRow[]> => {
  const stored = await readSaved(source, path);
  const known = await source.events.lastRecorded(source.workspaceId, path);
  // Deleted since it was listed, perhaps by a commit.
  if ('reason' in stored && stored.absent && known !== null) return inspectMissing(source, path);
  if ('reason' in stored) {
    const report = { path, kind: 'unreadable', reason: stored.reason } as const;
    return accountReport({ kind: 'reported', report }, counter, known ?? undefined);
  }
  const scanned = scanBytes(path, stored);
  const hashes = { recorded_hash: known?.hash ?? null, stored_hash: stored.hash };
  if (scanned.kind === 'reported' && scanned.report.kind === 'conflict_marker') {
    return accountReport(scanned, counter, known ?? undefined, stored.hash);
  }
  const content = countContent(path, scanned, counter);
  if (known?.hash === stored.hash) return [];
  if (known !== null) {
    const change = known.hash === null ? 'create' : 'replace';
    return [
      {
        kind: 'drift',
        path,
        reason: `${change === 'create' ? 'deleted in the log, but there' : 'changed'} outside Sheaf: ${remedy}`,
        change,
        ...hashes,
      },
    ];
  }
  if (content === 'ordinary') return [];
  const problem = content === 'document' ? '' : `; not readable as a document: ${content}`;
  return [{ kind: 'untracked', path, reason: `not in the log yet: \`sheaf adopt\` records it${problem}`, change: 'create', ...hashes }];
};

const remedy = 'read it again, or accept it with `sheaf adopt`';

/** Counts a parsed file and says what it is: a document, ordinary Markdown, or why it is neither. */
const countContent = (path: string, scanned: ScannedFile, counter: FileCounter): string => {
  if (scanned.kind === 'reported') {
    counter.report(scanned.report);
    return scanned.report.reason;
  }
  const { parsed } = scanned;
  if (parsed.kind === 'document') counter.document();
  else if (parsed.kind === 'ordinary') counter.ordinary();
  else {
    const [issue] = parsed.issues;
    const reason = `${issue?.issue ?? 'the frontmatter is refused'}${issue?.line === undefined ? '' : ` (line ${issue.line})`}`;
    counter.report({ path, kind: 'invalid', reason });
    return reason;
  }
  // A page of links is a document of the contract although it has no frontmatter (§4.1).
  return parsed.kind === 'document' || isIndexPath(path) ? 'document' : 'ordinary';
};

/** Looks again for a file that the log knows and a listing of the vault did not show. */
export const inspectMissing = async (source: ScanSource, path: string): Promise<readonly DriftRow[]> => {
  const known = await source.events.lastRecorded(source.workspaceId, path);
  if (known === null || known.hash === null) return [];
  const stored = await readStored(source.vfs, path);
  if ('hash' in stored) {
    if (stored.hash === known.hash) return [];
    return [
      {
        kind: 'drift',
        path,
        reason: `changed outside Sheaf: ${remedy}`,
        change: 'replace',
        recorded_hash: known.hash,
        stored_hash: stored.hash,
      },
    ];
  }
  // A directory that may not be entered, or a link in its place, hides its documents: adopting must not record them as deleted.
  if (!stored.absent) {
    const reason = `the log knows it, but it cannot be read: ${stored.reason}`;
    return [{ kind: 'unreadable', path, reason, change: null, recorded_hash: known.hash, stored_hash: null }];
  }
  return [
    {
      kind: 'drift',
      path,
      reason: 'deleted outside Sheaf: restore it, or accept it with `sheaf adopt`',
      change: 'delete',
      recorded_hash: known.hash,
      stored_hash: null,
    },
  ];
};

/** Counts a reported file; temporary files and other media need nobody, so they are counted without a row. */
export const accountReport = (
  scanned: ScannedFile & { kind: 'reported' },
  counter: FileCounter,
  known: LastRecorded | undefined,
  storedHash: string | null = null,
): readonly DriftRow[] => {
  const { report, original } = scanned;
  counter.report(report);
  if (report.kind === 'temporary' || report.kind === 'not_markdown' || report.kind === 'invalid') return [];
  const row = {
    kind: report.kind,
    path: report.path,
    reason: report.reason,
    change: null,
    recorded_hash: known?.hash ?? null,
    stored_hash: storedHash,
  };
  return [original === undefined ? row : { ...row, original }];
};
