import { setImmediate as turn } from 'node:timers/promises';
import type { ScanSource } from '../scan-vault.ts';
import type { CoordinatorTables } from './coordinator-tables.ts';
import { lookAtName, lookInside } from './look-at-file.ts';

const filesPerTurn = 256;

/** The hash of every file that projections of documents are to hold, by path. With `tables`, files whose stamp is known are not read. */
export const observeFiles = async (source: ScanSource, tables: CoordinatorTables | null): Promise<ReadonlyMap<string, string>> => {
  const hashes = new Map<string, string>();
  let count = 0;
  for await (const entry of source.vfs.list()) {
    count += 1;
    if (count % filesPerTurn === 0) await turn();
    if ((await lookAtName(source, entry)) !== null) continue;
    const row = tables?.file(entry.path);
    const stamp = row?.held === 1 && row.stamp !== null ? (source.vfs.stamp?.(entry.path) ?? null) : null;
    if (row !== undefined && stamp !== null && row.stamp === stamp) {
      if (row.kind !== 0 && row.hash !== null) hashes.set(entry.path, row.hash);
      continue;
    }
    const { file } = await lookInside(source, entry.path);
    if (file !== null) hashes.set(entry.path, file.hash);
  }
  return hashes;
};

/** Paths at which a projection holds something else than it should, with both hashes. */
export const disagreements = (
  holdings: Iterable<{ readonly path: string; readonly hash: string }>,
  observed: ReadonlyMap<string, string>,
): ReadonlyMap<string, { readonly held: string | null; readonly stored: string | null }> => {
  const differing = new Map<string, { held: string | null; stored: string | null }>();
  const held = new Set<string>();
  for (const { path, hash } of holdings) {
    held.add(path);
    const stored = observed.get(path) ?? null;
    if (stored !== hash) differing.set(path, { held: hash, stored });
  }
  for (const [path, stored] of observed) if (!held.has(path)) differing.set(path, { held: null, stored });
  return differing;
};
