import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { VfsEntry } from '#adapter-contracts';
import { stillMissing } from '../read-settled.ts';
import type { Finding } from './apply-batch.ts';
import type { FileRow } from './coordinator-tables.ts';
import type { Levelling } from './levelling.ts';
import { type Look, lookAtName, lookInside } from './look-at-file.ts';

/** Longer than an editor takes from removing a file to putting the new one in its place, and a batch of commits from its documents to its events. */
const settleMs = 40;

/** Compares one file with what the database says; null when there is nothing to do, `gone` when the file has to be looked at again first. */
export const findNews = async (
  { source }: Levelling,
  entry: VfsEntry,
  row: FileRow | undefined,
  removals: number,
  building: boolean,
): Promise<Finding | 'gone' | null> => {
  const { path } = entry;
  const finding = (look: Look, news: Finding['news']): Finding => ({ look, row: row?.revision ?? null, removals, news });
  const byName = await lookAtName(source, entry);
  if (byName !== null) {
    // Kept, so that it can be looked at again when the document whose copy it is comes or goes.
    if (row === undefined) return path.endsWith('.md') ? finding(byName, 'content') : null;
    return row.kind === 0 && row.hash === null ? null : finding(byName, 'content');
  }
  const settled = row?.held === 1 && row.stamp !== null && row.stamp === (source.vfs.stamp?.(path) ?? null);
  if (settled && !(building && row.kind !== 0)) return null;
  const look = await lookInside(source, path);
  if (look.hash === null) return row === undefined || (row.hash === null && row.kind === 0) ? null : 'gone';
  if (row?.held !== 1 || row.hash !== look.hash) return finding(look, 'content');
  if (building && look.kind !== 0) return finding(look, 'rebuild');
  return look.stamp === null || look.stamp === row.stamp ? null : finding(look, 'stamp');
};

/**
 * Looks a second time at documents that were not there or could not be read: a save that renames, or a drive that is about to give the file back, must
 * not make a document vanish. What the log says was deleted is gone at once.
 */
export const confirmGone = async (levelling: Levelling, rows: readonly FileRow[], removals: number): Promise<readonly Finding[]> => {
  const { source, signal } = levelling;
  if (rows.length === 0) return [];
  const deleted = new Set<string>();
  for (const { path } of rows) {
    const recorded = await source.events.lastRecorded(source.workspaceId, path);
    if (recorded !== null && recorded.hash === null) deleted.add(path);
  }
  const doubtful = rows.map(({ path }) => path).filter(path => !deleted.has(path));
  if (doubtful.length > 0) await delay(settleMs, undefined, signal === undefined ? {} : { signal });
  const gone = new Set([...deleted, ...(await stillMissing(source, doubtful))]);
  const findings: Finding[] = [];
  for (const [index, row] of rows.entries()) {
    if (index % 256 === 255) await turn();
    const look =
      (await lookAtName(source, { path: row.path, kind: 'file' })) ??
      (await lookInside(source, row.path, { patient: !gone.has(row.path) }));
    const same = look.hash !== null && row.held === 1 && look.hash === row.hash;
    if (!same) findings.push({ look, row: row.revision, removals, news: 'content' });
  }
  return findings;
};
