// Shared by the tests of this folder.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { type EventStore, systemClock, type Vfs } from '#adapter-contracts';
import type { DerivedProjection, DocumentProjection } from '../derived-projection.ts';
import { eventGraph } from '../graph/event-graph.ts';
import { openVaultProjections } from './open-vault-projections.ts';

export const workspaceId = 'ws-acme';

/** Keeps path, hash and kind of each document, and counts what it was told: the smallest projection that shows what it got. */
export const texts = (version = '1', id = 'texts'): DocumentProjection & { readonly told: string[] } => {
  const told: string[] = [];
  return {
    id,
    version,
    feed: 'documents',
    told,
    create: db => void db.exec(`CREATE TABLE ${id}_rows (path TEXT PRIMARY KEY, hash TEXT NOT NULL, kind TEXT NOT NULL)`),
    drop: db => void db.exec(`DROP TABLE IF EXISTS ${id}_rows`),
    apply(db, changes) {
      const put = db.prepare(`INSERT OR REPLACE INTO ${id}_rows VALUES (?, ?, ?)`);
      const remove = db.prepare(`DELETE FROM ${id}_rows WHERE path = ?`);
      for (const { path, file } of changes) {
        told.push(path);
        if (file === null) remove.run(path);
        else put.run(path, file.hash, file.parsed.kind);
      }
    },
    contents: [`SELECT path, kind FROM ${id}_rows`],
    holdings: db => db.prepare(`SELECT path, hash FROM ${id}_rows`).iterate() as IterableIterator<{ path: string; hash: string }>,
  };
};

export const heldPaths = (db: Database.Database): unknown => db.prepare('SELECT path FROM texts_rows ORDER BY path').pluck().all();

/** Everything that `texts` and the event graph hold. */
export const everything = (db: Database.Database): unknown => ({
  texts: db.prepare('SELECT * FROM texts_rows ORDER BY path').all(),
  graph: db.prepare('SELECT * FROM event_graph_events ORDER BY position').all(),
});

export const rule = (word: string): string => `---\ntype: rule\ntitle: "${word}"\n---\n`;

export const makeRoot = (): string => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-projections-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, '.ssss'));
  return root;
};

type OpenStore = (options: {
  readonly root: string;
  readonly workspaceId: string;
}) => Promise<{ readonly vfs: Vfs; readonly events: EventStore; close(): Promise<void> }>;

/** A vault on disk and as many openings of its derived read models as a test wants. The test brings the store, which this room must not know. */
export const diskVaults =
  (openStore: OpenStore) =>
  async (root = makeRoot()) => {
    const store = await openStore({ root, workspaceId });
    onTestFinished(() => store.close());
    const derived = join(root, '.ssss', 'derived');
    const open = (
      given: Partial<{ projections: readonly DerivedProjection[]; inMemory: boolean; directory: string; vfs: typeof store.vfs }> = {},
    ) => {
      const notices: string[] = [];
      const projections = openVaultProjections({
        derivedDirectory: given.inMemory === true ? null : (given.directory ?? derived),
        source: { vfs: given.vfs ?? store.vfs, events: store.events, workspaceId },
        projections: given.projections ?? [texts(), eventGraph],
        clock: systemClock,
        onNotice: (kind, message) => void notices.push(`${kind}: ${message}`),
      });
      onTestFinished(() => projections.close());
      return { ...projections, notices };
    };
    return { root, derived, store, open };
  };
