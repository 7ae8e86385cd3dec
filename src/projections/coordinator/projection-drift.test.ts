import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { openFsStore } from '#stores/fs';
import { diskVaults, everything, rule } from './projection-fixture.ts';

const diskVault = diskVaults(openFsStore);

const filled = async () => {
  const vault = await diskVault();
  for (const name of ['a', 'b', 'c']) {
    writeFileSync(join(vault.root, `${name}.md`), rule(name));
    await vault.store.events.append(sampleEvent({ subject: `${name}.md`, after_hash: hashContent(rule(name)) }));
  }
  return vault;
};

test('rows that were tampered with are found and mended, whatever stamps and cursors say', async () => {
  const { open } = await filled();
  const projections = open();
  await projections.level();
  const sound = await projections.read(everything);
  expect(await projections.findDrift()).toEqual([]);
  await projections.write(db => {
    db.exec("UPDATE texts_rows SET hash = 'sha256:0' WHERE path = 'a.md'");
    db.exec("DELETE FROM texts_rows WHERE path = 'b.md'");
    db.exec("UPDATE texts_rows SET kind = 'ordinary' WHERE path = 'c.md'");
    db.exec("INSERT INTO texts_rows VALUES ('ghost.md', 'sha256:1', 'document')");
    db.exec("UPDATE event_graph_events SET subject = 'x.md' WHERE position = 2");
  });
  const drift = [
    { projection: 'event_graph', path: 'b.md', held: null, stored: expect.any(String) },
    { projection: 'texts', path: 'a.md', held: 'sha256:0', stored: hashContent(rule('a')) },
    { projection: 'texts', path: 'b.md', held: null, stored: hashContent(rule('b')) },
    { projection: 'texts', path: 'c.md', held: hashContent(rule('c')), stored: hashContent(rule('c')) },
    { projection: 'texts', path: 'ghost.md', held: 'sha256:1', stored: null },
  ];
  const byId = (rows: readonly { readonly projection: string }[]) => [...rows].sort((a, b) => (a.projection < b.projection ? -1 : 1));
  expect(byId(await projections.findDrift())).toEqual(drift);
  expect((await projections.status()).find(({ id }) => id === 'texts')).toMatchObject({ state: 'stale', drifted: 2 });
  expect(byId(await projections.findDrift({ repair: true }))).toEqual(drift);
  expect(await projections.findDrift()).toEqual([]);
  expect(await projections.read(everything)).toEqual(sound);
});

test('an event that the graph lost is found by counting', async () => {
  const { open } = await filled();
  const projections = open();
  await projections.level();
  await projections.write(db => db.exec("INSERT INTO event_graph_events VALUES (9, 'forged', 'e', 'c', NULL, 'a', 's', 't', NULL)"));
  expect(await projections.findDrift({ repair: true })).toEqual([
    { projection: 'event_graph', path: '', held: '4 events', stored: '3 events' },
  ]);
  expect(await projections.findDrift()).toEqual([]);
});

test('the state says what a projection has not seen, and looking changes nothing', async () => {
  const { root, store, open } = await filled();
  const projections = open();
  const states = async () => (await projections.status()).map(({ id, state, lag, drifted }) => [id, state, lag, drifted]);
  expect(await states()).toEqual([
    ['texts', 'missing', 3, 3],
    ['event_graph', 'missing', 3, null],
  ]);
  await projections.level();
  expect(await states()).toEqual([
    ['texts', 'level', 0, 0],
    ['event_graph', 'level', 0, null],
  ]);
  rmSync(join(root, 'a.md'));
  writeFileSync(join(root, 'b.md'), rule('changed'));
  await store.events.append(sampleEvent({ subject: 'flow', action: 'event', after_hash: null }));
  for (let i = 0; i < 2; i += 1) {
    expect(await states()).toEqual([
      ['texts', 'stale', 1, 2],
      ['event_graph', 'stale', 1, null],
    ]);
  }
});
