import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { openFsStore } from '#stores/fs';
import { eventGraph } from '../graph/event-graph.ts';
import { vaultHash } from '../scan-vault.ts';
import { diskVaults, heldPaths, makeRoot, rule, texts } from './projection-fixture.ts';

const diskVault = diskVaults(openFsStore);

const databases = (derived: string): readonly string[] => readdirSync(derived).filter(name => /^projections-.*\.sqlite$/.test(name));

test('what was built is found again, and follows files that come, change and go', async () => {
  const { root, derived, open } = await diskVault();
  writeFileSync(join(root, 'a.md'), rule('a'));
  writeFileSync(join(root, 'b.md'), rule('b'));
  const first = open();
  expect(await first.level()).toEqual({ events: 0, files: 2 });
  expect(await first.level()).toEqual({ events: 0, files: 0 });
  expect(await first.read(heldPaths)).toEqual(['a.md', 'b.md']);
  rmSync(join(root, 'a.md'));
  writeFileSync(join(root, 'c.md'), rule('c'));
  const second = open();
  expect(await second.level()).toEqual({ events: 0, files: 2 });
  expect(await second.read(heldPaths)).toEqual(['b.md', 'c.md']);
  expect(await first.read(heldPaths)).toEqual(['b.md', 'c.md']);
  expect(databases(derived)).toHaveLength(1);
});

test('a projection that nobody asks for is not built, and has everything when somebody does', async () => {
  const { root, store, open } = await diskVault();
  const others = texts('1', 'others');
  const both = [texts(), others, eventGraph];
  writeFileSync(join(root, 'a.md'), rule('a'));
  await store.events.append(sampleEvent({ subject: 'a.md', after_hash: hashContent(rule('a')) }));
  const first = open({ projections: both });
  expect(await first.of('texts').level()).toEqual({ events: 1, files: 1 });
  writeFileSync(join(root, 'b.md'), rule('b'));
  const second = open({ projections: both });
  await second.of('event_graph').level();
  expect(await second.of('texts').level()).toEqual({ events: 0, files: 1 });
  expect(await second.of('texts').read(heldPaths)).toEqual(['a.md', 'b.md']);
  expect(others.told).toEqual([]);
  expect((await second.status()).map(({ id, state }) => [id, state])).toEqual([
    ['texts', 'level'],
    ['others', 'missing'],
    ['event_graph', 'level'],
  ]);
  const paths = (db: Database.Database) => db.prepare('SELECT path FROM others_rows ORDER BY path').pluck().all();
  expect(await second.of('others').read(paths)).toEqual(['a.md', 'b.md']);
  expect(() => second.of('none')).toThrow("no projection 'none'");
});

test('a projection that is begun while another process looks at files for someone else gets every file', async () => {
  const { root, store, open } = await diskVault();
  const both = () => [texts(), texts('1', 'others')];
  const names = Array.from({ length: 700 }, (_, i) => `r${String(i).padStart(3, '0')}.md`);
  for (const name of names) writeFileSync(join(root, name), rule('old'));
  await open({ projections: both() }).of('texts').level();
  // More than one transaction takes, so that the pass says how far it came.
  for (const name of names.slice(50, 600)) writeFileSync(join(root, name), rule('new'));
  const signal = () => {
    let resolve: () => void = () => undefined;
    const promise = new Promise<void>(done => {
      resolve = done;
    });
    return { promise, resolve };
  };
  const [begun, ended] = [signal(), signal()];
  const listing = (before: () => Promise<void>) => ({
    ...store.vfs,
    async *list(prefix?: string) {
      await before();
      yield* store.vfs.list(prefix);
    },
  });
  const beginning = open({
    projections: both(),
    vfs: listing(() => {
      begun.resolve();
      return ended.promise;
    }),
  });
  const others = beginning.of('others').level();
  await open({ projections: both(), vfs: listing(() => begun.promise) })
    .of('texts')
    .level();
  ended.resolve();
  await others;
  expect(await beginning.of('others').read(db => db.prepare('SELECT path FROM others_rows ORDER BY path').pluck().all())).toEqual(names);
});

test('a document that was deleted and restored with the same bytes is there again', async () => {
  const { root, open } = await diskVault();
  const file = join(root, 'a.md');
  writeFileSync(file, rule('a'));
  const projections = open();
  await projections.level();
  rmSync(file);
  await projections.level();
  expect(await projections.read(heldPaths)).toEqual([]);
  writeFileSync(file, rule('a'));
  await projections.level();
  expect(await projections.read(heldPaths)).toEqual(['a.md']);
});

test('a file that changed a moment ago is read again, even when size and times stay; later only files that changed are', async () => {
  const { root, store, open } = await diskVault();
  for (let i = 0; i < 80; i += 1) writeFileSync(join(root, `r${i}.md`), rule('old'));
  const read: string[] = [];
  const vfs = {
    ...store.vfs,
    read(path: string) {
      read.push(path);
      return store.vfs.read(path);
    },
  };
  await open({ vfs }).level();
  const again = open({ vfs });
  read.length = 0;
  await again.level();
  expect(read).toHaveLength(80);
  // By then their times say something.
  vi.setSystemTime(Date.now() + 3_000);
  onTestFinished(() => void vi.useRealTimers());
  await again.level();
  read.length = 0;
  const fresh = open({ vfs });
  await fresh.level();
  expect(read).toEqual([]);
  writeFileSync(join(root, 'r7.md'), rule('new'));
  expect(await fresh.level()).toEqual({ events: 0, files: 1 });
  expect(read).toEqual(['r7.md']);
});

test('an unchanged vault changes nothing in the derived directory', async () => {
  const { root, derived, open } = await diskVault();
  for (const name of ['a', 'b']) writeFileSync(join(root, `${name}.md`), rule(name));
  const first = open();
  await first.level();
  await first.close();
  const times = (): unknown => readdirSync(derived).map(name => [name, statSync(join(derived, name)).mtimeMs]);
  const before = times();
  vi.setSystemTime(Date.now() + 3_000);
  onTestFinished(() => void vi.useRealTimers());
  const second = open();
  await second.level({ scan: true });
  await second.read(heldPaths);
  await second.status();
  await second.findDrift();
  await second.close();
  expect(times()).toEqual(before);
});

test('the manifest names the database, each projection with its place in the log, and the hash of the vault', async () => {
  const { root, derived, store, open } = await diskVault();
  writeFileSync(join(root, 'a.md'), rule('a'));
  writeFileSync(join(root, 'index.md'), '# Pages\n');
  writeFileSync(join(root, 'README.md'), '# No document\n');
  await store.events.append(sampleEvent({ subject: 'a.md', after_hash: hashContent(rule('a')) }));
  const projections = open();
  await projections.level();
  const read = () => JSON.parse(readFileSync(join(derived, 'MANIFEST.json'), 'utf8'));
  const [file] = databases(derived);
  const cursor = await store.events.end();
  expect(read()).toEqual({
    type: 'projection-manifest',
    generated_at: expect.stringMatching(/^\d{4}-/),
    vault_hash: vaultHash([
      { path: 'a.md', hash: hashContent(rule('a')) },
      { path: 'index.md', hash: hashContent('# Pages\n') },
    ]),
    projections: [
      { file, id: 'event_graph', disposable: true, version: '1', feed: 'events', cursor },
      { file, id: 'texts', disposable: true, version: '1', feed: 'documents', cursor },
    ],
    rebuild_command: 'sheaf index rebuild',
  });
  const { vault_hash: before } = read();
  rmSync(join(derived, 'MANIFEST.json'));
  await projections.level();
  expect(read().vault_hash).toBe(before);
  writeFileSync(join(root, 'b.md'), rule('b'));
  await projections.level();
  expect(read().vault_hash).not.toBe(before);
});

test('another version of one projection builds that one anew and no other', async () => {
  const { root, open } = await diskVault();
  writeFileSync(join(root, 'a.md'), rule('a'));
  const old = [texts(), texts('1', 'other')];
  const before = open({ projections: old });
  await before.level();
  await before.close();
  const now = [texts('2'), texts('1', 'other')];
  const after = open({ projections: now });
  expect((await after.status()).map(({ id, state }) => [id, state])).toEqual([
    ['texts', 'missing'],
    ['other', 'level'],
  ]);
  await after.level();
  expect(now.map(({ told }) => told)).toEqual([['a.md'], []]);
});

test('a projection that another process does not know misses nothing: it is built again', async () => {
  const { root, open } = await diskVault();
  writeFileSync(join(root, 'a.md'), rule('a'));
  const both = [texts(), texts('1', 'other')];
  await open({ projections: both }).level();
  writeFileSync(join(root, 'b.md'), rule('b'));
  await open({ projections: [texts('1', 'other')] }).level();
  const again = open({ projections: both });
  await again.level();
  expect(await again.read(heldPaths)).toEqual(['a.md', 'b.md']);
});

test('files that are reported rather than read are not held, and what was held of them goes', async () => {
  const { root, open } = await diskVault();
  writeFileSync(join(root, 'a.md'), rule('a'));
  writeFileSync(join(root, 'b.md'), rule('b'));
  writeFileSync(join(root, 'b (conflict 1).md'), rule('b'));
  writeFileSync(join(root, 'c.sync-conflict-20260101-101010.md'), rule('c'));
  writeFileSync(join(root, 'd.md~'), rule('d'));
  writeFileSync(join(root, 'e.md'), Buffer.from([0xff, 0xfe]));
  symlinkSync('a.md', join(root, 'f.md'));
  const projections = open();
  await projections.level();
  expect(await projections.read(heldPaths)).toEqual(['a.md', 'b.md']);
  writeFileSync(join(root, 'a.md'), `<<<<<<< ours\n${rule('a')}=======\n${rule('z')}>>>>>>> theirs\n`);
  await projections.level();
  expect(await projections.read(heldPaths)).toEqual(['b.md']);
});

test('where nothing may be written the read models are kept in memory', async () => {
  const { root, derived, open } = await diskVault();
  writeFileSync(join(root, 'a.md'), rule('a'));
  const projections = open({ inMemory: true });
  await projections.level();
  expect(await projections.read(heldPaths)).toEqual(['a.md']);
  expect(databases(derived)).toEqual([]);
  expect(projections.notices).toEqual([]);
});

test.each([
  ['a link', (place: string) => symlinkSync(makeRoot(), place)],
  ['a file', (place: string) => writeFileSync(place, '')],
])('with %s in place of the derived directory the read models are kept in memory, which is said', async (_, put) => {
  const { root, open } = await diskVault();
  writeFileSync(join(root, 'a.md'), rule('a'));
  const directory = join(makeRoot(), '.ssss', 'derived');
  put(directory);
  const projections = open({ directory });
  await projections.level();
  expect(await projections.read(heldPaths)).toEqual(['a.md']);
  expect(projections.notices).toMatchObject([expect.stringMatching(/^projections_in_memory: .*is no directory of its own/)]);
  expect(readdirSync(join(directory, '..'))).toEqual(['derived']);
});

test('an unknown projection is refused by name', async () => {
  const { open } = await diskVault();
  await expect(open().rebuild({ id: 'nonsense' })).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a question that comes while the vault is being indexed waits and gets everything', async () => {
  const { root, open } = await diskVault();
  mkdirSync(join(root, 'n'));
  for (let i = 0; i < 600; i += 1) writeFileSync(join(root, 'n', `${i}.md`), rule(String(i)));
  const [one, other] = [open(), open()];
  const building = one.rebuild();
  const counts = await Promise.all([other.read(heldPaths), one.read(heldPaths), other.read(heldPaths)]);
  expect(counts.map(paths => (paths as readonly string[]).length)).toEqual([600, 600, 600]);
  await building;
});

test('files that were taken away together are waited for once, not once for each part of the work', async () => {
  const { root, store, open } = await diskVault();
  const names = Array.from({ length: 1100 }, (_, index) => `n${index}.md`);
  for (const name of names) writeFileSync(join(root, name), rule(name));
  // What the log says of a path is asked right before each wait.
  const asked: string[] = [];
  const lastRecorded = store.events.lastRecorded;
  const projections = open({
    vfs: {
      ...store.vfs,
      read: async path => {
        if (asked.at(-1) !== 'files') asked.push('files');
        return store.vfs.read(path);
      },
    },
  });
  await projections.level();
  store.events.lastRecorded = async (...given) => {
    if (asked.at(-1) !== 'log') asked.push('log');
    return lastRecorded.apply(store.events, given);
  };
  projections.watched(true);
  await projections.level();
  for (const name of names) rmSync(join(root, name));
  asked.length = 0;
  projections.touched(names);
  await projections.level();
  expect(await projections.read(heldPaths)).toEqual([]);
  expect(asked.filter(what => what === 'log')).toHaveLength(1);
});
