import { setTimeout as delay } from 'node:timers/promises';
import type { LastRecorded, Vfs } from '#adapter-contracts';
import { checkPath, isIndexPath } from '#document';
import { createFileCounter, type FileAccount } from './file-account.ts';
import { placeholdersOf } from './file-name-kind.ts';
import { accountReport, type DriftRow, inspectFile, inspectMissing } from './inspect-drift.ts';
import { stillMissing } from './read-settled.ts';
import { isPlainMarkdown, readStored, reportByName, type ScanSource } from './scan-vault.ts';

export interface DriftSurvey {
  /** Sorted by path. */
  readonly rows: readonly DriftRow[];
  readonly files: FileAccount;
}

/** Hashes by path from earlier surveys, each with the stamp of the file they were computed from. */
export type SurveyMemory = Pick<Map<string, { readonly stamp: string; readonly hash: string }>, 'get' | 'set' | 'delete'>;

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
  for await (const state of source.events.lastRecordedAll(source.workspaceId)) recorded.set(state.path, state);
  const counter = createFileCounter();
  const rows: DriftRow[] = [];
  const suspects: string[] = [];
  const seen = new Set<string>();
  for await (const entry of source.vfs.list()) {
    seen.add(entry.path);
    const report = isPlainMarkdown(entry) ? null : await reportByName(source, entry);
    if (report !== null) {
      // A placeholder stands for its document; a copy does not.
      if (report.report.kind === 'stub' && report.original !== undefined) seen.add(report.original);
      rows.push(...accountReport(report, counter, recorded.get(entry.path)));
      continue;
    }
    // Neither waits for anything while nothing changed: a vault has very many files.
    const stamp = source.vfs.stamp?.(entry.path) ?? null;
    const hash = rememberedHash(memory, entry.path, stamp) ?? (await readHash(source.vfs, entry.path, stamp, memory));
    // Unchanged since the contract wrote it: it need not be parsed again.
    if (hash === null || recorded.get(entry.path)?.hash !== hash) suspects.push(entry.path);
    else if (isIndexPath(entry.path)) counter.ordinary();
    else counter.document();
  }
  const missing = [...recorded].filter(([path, state]) => state.hash !== null && !seen.has(path)).map(([path]) => path);
  if (suspects.length + missing.length > 0) await delay(settleMs);
  const gone = await stillMissing(source, missing);
  for (const path of suspects) rows.push(...(await inspectFile(source, path, counter)));
  for (const path of gone) rows.push(...(await inspectMissing(source, path)));
  // Away while the vault was listed, in the middle of a save.
  for (const path of missing.filter(each => !gone.includes(each))) rows.push(...(await inspectFile(source, path, counter)));
  const sorted = rows.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { rows: await minding(source, sorted), files: counter.account() };
};

/** A document that the log does not know is not simply new while the log has lost lines: adopting it would hide what is lost. */
const minding = async ({ events }: ScanSource, rows: readonly DriftRow[]): Promise<readonly DriftRow[]> => {
  if (!rows.some(({ kind }) => kind === 'untracked')) return rows;
  const lost = ((await events.knownDamage?.()) ?? []).some(({ kind }) => kind !== 'repeated');
  const reason = 'not in the log, which is damaged or lacks events, perhaps its own: look at `sheaf doctor` before you adopt it';
  return lost ? rows.map(row => (row.kind === 'untracked' ? { ...row, reason } : row)) : rows;
};

/**
 * The rows of `surveyDrift` for the files at some paths, found without listing the vault. Takes no lock and does not wait: the caller knows that
 * nobody has been writing there for a moment.
 */
export const surveyPaths = async (source: ScanSource, paths: readonly string[]): Promise<readonly DriftRow[]> => {
  const rows: DriftRow[] = [];
  for (const path of paths) {
    const counter = createFileCounter();
    const stored = checkPath(path) === null ? await readStored(source.vfs, path) : null;
    if (stored === null) continue;
    if ('absent' in stored && stored.absent) {
      if (!(await isEvicted(source.vfs, path))) rows.push(...(await inspectMissing(source, path)));
      continue;
    }
    const report = await reportByName(source, { path, kind: 'file' });
    if (report === null) rows.push(...(await inspectFile(source, path, counter)));
    else rows.push(...accountReport(report, counter, (await source.events.lastRecorded(source.workspaceId, path)) ?? undefined));
  }
  return minding(source, rows);
};

/** Whether a cloud drive left a placeholder where the document was. */
const isEvicted = async (vfs: Vfs, path: string): Promise<boolean> => {
  for (const name of placeholdersOf(path)) if ('bytes' in (await readStored(vfs, name))) return true;
  return false;
};

const rememberedHash = (memory: SurveyMemory, path: string, stamp: string | null): string | null => {
  const before = stamp === null ? undefined : memory.get(path);
  return before?.stamp === stamp ? before.hash : null;
};

/**
 * The hash of the stored bytes; null when they cannot be read. The stamp was taken before: a change in between makes it too old for the hash, never too
 * new.
 */
const readHash = async (vfs: Vfs, path: string, stamp: string | null, memory: SurveyMemory): Promise<string | null> => {
  const stored = await readStored(vfs, path);
  if (stamp === null || !('hash' in stored)) memory.delete(path);
  else memory.set(path, { stamp, hash: stored.hash });
  return 'hash' in stored ? stored.hash : null;
};

/** Longer than one batch of commits takes from its first document to its events on a slow disk. */
const settleMs = 40;
