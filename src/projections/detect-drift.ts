import { setTimeout as delay } from 'node:timers/promises';
import type { LastRecorded, Vfs } from '#adapter-contracts';
import { isIndexPath } from '#document';
import { createFileCounter, type FileAccount, type FileCounter } from './file-account.ts';
import { readStored, reportByName, type ScannedFile, type ScanSource, scanBytes } from './scan-vault.ts';

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

export interface DriftSurvey {
  /** Sorted by path. */
  readonly rows: readonly DriftRow[];
  readonly files: FileAccount;
}

/** Hashes by path from earlier surveys, each with the stamp of the file they were computed from. */
export type SurveyMemory = Map<string, { readonly stamp: string; readonly hash: string }>;

/** The rows of `surveyDrift`, one by one. */
export async function* detectDrift(source: ScanSource): AsyncIterable<DriftRow> {
  yield* (await surveyDrift(source)).rows;
}

/**
 * Compares every file with what the log last recorded for its path. Takes no lock: whatever differs is looked at again after a moment, because
 * a commit in progress writes the document before the event (§6.3). With a memory, files that did not change since are not read.
 */
export const surveyDrift = async (source: ScanSource, memory: SurveyMemory = new Map()): Promise<DriftSurvey> => {
  const recorded = new Map<string, LastRecorded>();
  for await (const { path, ...state } of source.events.lastRecordedAll(source.workspaceId)) recorded.set(path, state);
  const counter = createFileCounter();
  const rows: DriftRow[] = [];
  const suspects: string[] = [];
  const seen = new Set<string>();
  for await (const entry of source.vfs.list()) {
    seen.add(entry.path);
    const report = await reportByName(source, entry);
    if (report !== null) {
      if (report.original !== undefined) seen.add(report.original);
      rows.push(...accountReport(report, counter, recorded.get(entry.path)));
      continue;
    }
    const hash = await hashOf(source.vfs, entry.path, memory);
    // Unchanged since the contract wrote it: it need not be parsed again.
    if (hash === null || recorded.get(entry.path)?.hash !== hash) suspects.push(entry.path);
    else if (isIndexPath(entry.path)) counter.ordinary();
    else counter.document();
  }
  const missing = [...recorded].filter(([path, state]) => state.hash !== null && !seen.has(path)).map(([path]) => path);
  if (suspects.length + missing.length > 0) await delay(settleMs);
  for (const path of suspects) rows.push(...(await inspectSuspect(source, path, counter)));
  for (const path of missing) rows.push(...(await inspectMissing(source, path)));
  return { rows: rows.sort((a, b) => (a.path < b.path ? -1 : 1)), files: counter.account() };
};

/** The hash of the stored bytes; null when they cannot be read. */
const hashOf = async (vfs: Vfs, path: string, memory: SurveyMemory): Promise<string | null> => {
  // Before reading: a change in between makes the stamp too old for the hash, never too new.
  const stamp = vfs.stamp?.(path) ?? null;
  const before = memory.get(path);
  if (stamp !== null && before?.stamp === stamp) return before.hash;
  const stored = await readStored(vfs, path);
  if (stamp === null || !('hash' in stored)) memory.delete(path);
  else memory.set(path, { stamp, hash: stored.hash });
  return 'hash' in stored ? stored.hash : null;
};

/** Longer than one batch of commits takes from its first document to its events on a slow disk. */
const settleMs = 40;

const inspectSuspect = async (source: ScanSource, path: string, counter: FileCounter): Promise<readonly DriftRow[]> => {
  const stored = await readStored(source.vfs, path);
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

const inspectMissing = async (source: ScanSource, path: string): Promise<readonly DriftRow[]> => {
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
const accountReport = (
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
