import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openFsStore } from '#stores/fs';
import { diskVaults, heldPaths, makeRoot, rule } from './projection-fixture.ts';

const diskVault = diskVaults(openFsStore);

const databaseIn = (derived: string): string =>
  join(derived, readdirSync(derived).find(name => /^projections-.*\.sqlite$/.test(name)) ?? 'none');

const filled = async () => {
  const vault = await diskVault();
  for (const name of ['a', 'b', 'c']) writeFileSync(join(vault.root, `${name}.md`), rule(name));
  return vault;
};

const wanted = ['a.md', 'b.md', 'c.md'];

test('a database that was damaged while nobody used it is made anew', async () => {
  const { derived, open } = await filled();
  const first = open();
  await first.level();
  await first.close();
  const path = databaseIn(derived);
  const size = statSync(path).size;
  writeFileSync(path, Buffer.alloc(size, 7));
  const second = open();
  await second.level();
  expect(await second.read(heldPaths)).toEqual(wanted);
});

test('a table that somebody took away while the database was in use is made anew, and said', async () => {
  const { derived, open } = await filled();
  const projections = open();
  await projections.level();
  const vandal = new Database(databaseIn(derived));
  vandal.exec('DROP TABLE texts_rows');
  vandal.close();
  expect(await projections.read(heldPaths)).toEqual(wanted);
  expect(projections.notices).toMatchObject([expect.stringMatching(/^projections_rebuilt: .*damaged/)]);
});

test('a database that lost what it says of itself is made anew', async () => {
  const { derived, open } = await filled();
  const projections = open();
  await projections.level();
  const vandal = new Database(databaseIn(derived));
  vandal.exec('DELETE FROM coordinator_about');
  vandal.close();
  await projections.level();
  expect(await projections.read(heldPaths)).toEqual(wanted);
});

test('a database that was exchanged for another one is not believed', async () => {
  const { derived, open } = await filled();
  const projections = open();
  await projections.level();
  const path = databaseIn(derived);
  const copy = join(makeRoot(), 'copy.sqlite');
  const vandal = new Database(path);
  vandal.exec(`VACUUM INTO '${copy}'`);
  vandal.close();
  const forger = new Database(copy);
  forger.exec("UPDATE texts_rows SET path = 'forged.md' WHERE path = 'a.md'");
  forger.close();
  rmSync(path);
  copyFileSync(copy, path);
  expect(await projections.read(heldPaths)).toEqual(wanted);
  expect(await open().level()).toMatchObject({ files: 0 });
});

test('a database from another machine, or of a copied vault, is discarded', async () => {
  const { derived, open } = await filled();
  const first = open();
  await first.level();
  await first.close();
  const path = databaseIn(derived);
  const forger = new Database(path);
  forger.exec("DELETE FROM texts_rows WHERE path = 'b.md'");
  forger.close();
  // A copy has the name and another inode.
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
  const second = open();
  await second.level();
  expect(await second.read(heldPaths)).toEqual(wanted);
  expect(databaseIn(derived)).not.toBe(path);
});

test('deleting the derived directory again and again while it is used changes no answer', async () => {
  const { root, derived, open } = await filled();
  const [one, other] = [open(), open()];
  let going = true;
  const vandal = (async () => {
    while (going) {
      rmSync(derived, { recursive: true, force: true, maxRetries: 3 });
      await delay(7);
    }
  })();
  try {
    for (let i = 0; i < 8; i += 1) {
      writeFileSync(join(root, 'c.md'), rule(`c ${i}`));
      for (const projections of [one, other]) {
        await projections.level();
        expect(await projections.read(heldPaths)).toEqual(wanted);
      }
    }
  } finally {
    going = false;
    await vandal;
  }
  expect([...one.notices, ...other.notices].filter(notice => !/in_memory|rebuilt/.test(notice))).toEqual([]);
});

test('a database that was cut short is made anew', async () => {
  const { derived, open } = await filled();
  const first = open();
  await first.level();
  await first.close();
  truncateSync(databaseIn(derived), 5_000);
  const second = open();
  await second.level();
  expect(await second.read(heldPaths)).toEqual(wanted);
  expect(readFileSync(databaseIn(derived)).length).toBeGreaterThan(5_000);
});

test('a file that takes the place of the directory sends the read models into memory, and changes no answer', async () => {
  const { derived, open } = await filled();
  const projections = open();
  await projections.level();
  rmSync(derived, { recursive: true });
  writeFileSync(derived, 'not yours');
  await projections.level();
  expect(await projections.read(heldPaths)).toEqual(wanted);
  expect(projections.notices.join()).toContain('projections_in_memory');
  expect(readFileSync(derived, 'utf8')).toBe('not yours');
});
