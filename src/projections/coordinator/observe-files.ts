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

/** Files that the database does not know as they are now, and those it knows and that are gone: no projection was told of them. */
export const pendingPaths = (tables: CoordinatorTables, observed: ReadonlyMap<string, string>): ReadonlySet<string> => {
  const pending = new Set(observed.keys());
  for (const { path, hash, kind, held } of tables.files()) {
    if (kind === 0 || held === 0) continue;
    if (observed.get(path) === hash) pending.delete(path);
    else pending.add(path);
  }
  return pending;
};
