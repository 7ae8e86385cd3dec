import { hash as digest } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { sqlite } from '#sqlite';
import type { DocumentProjection, FileChange } from '../derived-projection.ts';
import type { ScanSource } from '../scan-vault.ts';
import { lookAtName, lookInside } from './look-at-file.ts';

const batchFiles = 500;

/** What projections make of the vault as it is now: the same tables in memory, from every file read anew. The caller closes it. */
export const buildAnew = async (source: ScanSource, projections: readonly DocumentProjection[]): Promise<Database.Database> => {
  const db = new (sqlite())(':memory:');
  let changes: FileChange[] = [];
  const flush = async (): Promise<void> => {
    const batch = changes;
    changes = [];
    db.transaction(() => {
      for (const projection of projections) projection.apply(db, batch);
    })();
    await turn();
  };
  try {
    for (const projection of projections) projection.create(db);
    for await (const entry of source.vfs.list()) {
      if ((await lookAtName(source, entry)) !== null) continue;
      const { file } = await lookInside(source, entry.path);
      if (file !== null) changes.push({ path: entry.path, file });
      if (changes.length === batchFiles) await flush();
    }
    await flush();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** What is held for one path: the hash of the document, and a digest of everything that was made of it. */
export interface HeldContent {
  readonly hash: string | null;
  readonly digest: number;
}

/** By path, what a projection holds. Rows may come in any order. */
export const contentsOf = (db: Database.Database, projection: DocumentProjection): ReadonlyMap<string, HeldContent> => {
  const held = new Map<string, { hash: string | null; digest: number }>();
  const at = (path: string): { hash: string | null; digest: number } => {
    const known = held.get(path);
    if (known !== undefined) return known;
    const fresh = { hash: null, digest: 0 };
    held.set(path, fresh);
    return fresh;
  };
  for (const { path, hash } of projection.holdings(db)) at(path).hash = hash;
  for (const [index, query] of (projection.contents ?? []).entries()) {
    for (const row of db.prepare(query).raw().iterate() as IterableIterator<readonly unknown[]>) {
      const entry = at(String(row[0]));
      // A sum does not depend on the order of rows and, unlike XOR, counts equal ones.
      entry.digest = (entry.digest + Number.parseInt(digest('sha256', JSON.stringify([index, row]), 'hex').slice(0, 12), 16)) % 2 ** 48;
    }
  }
  return held;
};
