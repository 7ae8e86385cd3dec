import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#adapter-contracts';
import { openFsStore } from '#stores/fs';
import type { DocumentProjection } from '../derived-projection.ts';
import { openVaultProjections } from './open-vault-projections.ts';

/** Keeps the text of each document; the smallest projection that shows what it was told. */
const texts = (version = '1'): DocumentProjection => ({
  id: 'texts',
  version,
  feed: 'documents',
  create: db => void db.exec('CREATE TABLE texts_rows (path TEXT PRIMARY KEY, hash TEXT NOT NULL, kind TEXT NOT NULL)'),
  drop: db => void db.exec('DROP TABLE IF EXISTS texts_rows'),
  apply(db, changes) {
    const put = db.prepare('INSERT OR REPLACE INTO texts_rows VALUES (?, ?, ?)');
    const remove = db.prepare('DELETE FROM texts_rows WHERE path = ?');
    for (const { path, file } of changes) {
      if (file === null) remove.run(path);
      else put.run(path, file.hash, file.parsed.kind);
    }
  },
  holdings: db => db.prepare('SELECT path, hash FROM texts_rows').iterate() as IterableIterator<{ path: string; hash: string }>,
});

const paths = (db: Database.Database): unknown => db.prepare('SELECT path FROM texts_rows ORDER BY path').pluck().all();
const text = (word: string): string => `---\ntype: rule\ntitle: "${word}"\n---\n`;

test('what was built is found again, and follows files that come, change and go', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-projections-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, '.ssss'));
  const store = await openFsStore({ root, workspaceId: 'ws-a' });
  onTestFinished(() => store.close());
  const open = () => {
    const notices: string[] = [];
    const projections = openVaultProjections({
      derivedDirectory: join(root, '.ssss', 'derived'),
      source: { vfs: store.vfs, events: store.events, workspaceId: 'ws-a' },
      projections: [texts()],
      clock: systemClock,
      onNotice: (_kind, message) => void notices.push(message),
    });
    onTestFinished(() => projections.close());
    return { ...projections, notices };
  };
  writeFileSync(join(root, 'a.md'), text('a'));
  writeFileSync(join(root, 'b.md'), text('b'));
  const first = open();
  expect(await first.level()).toEqual({ events: 0, files: 2 });
  expect(await first.level()).toEqual({ events: 0, files: 0 });
  expect(await first.read(paths)).toEqual(['a.md', 'b.md']);
  rmSync(join(root, 'a.md'));
  writeFileSync(join(root, 'c.md'), text('c'));
  const second = open();
  expect(await second.level()).toEqual({ events: 0, files: 2 });
  expect(await second.read(paths)).toEqual(['b.md', 'c.md']);
  expect(await first.read(paths)).toEqual(['b.md', 'c.md']);
  expect(
    readdirSync(join(root, '.ssss', 'derived')).filter(name => name.startsWith('projections-') && name.endsWith('.sqlite')),
  ).toHaveLength(1);
  rmSync(join(root, '.ssss', 'derived'), { recursive: true });
  expect(await first.read(paths)).toEqual(['b.md', 'c.md']);
  expect(first.notices).toEqual([]);
});
