// The simulation answers as SQLite does, and loses what SQLite loses: else what it proves would be about something else.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Random, seededRandom } from '#adapter-contracts/testing';
import { type EventIndex, type IndexedEvent, nodePlatform, type SharedRow, type SharedRows } from '#stores/fs';
import { createSimulatedIndex } from './simulated-index.ts';
import { createSimulatedRows } from './simulated-rows.ts';

const seed = Number(process.env.SHEAF_SEED ?? 1);
let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'sheaf-databases-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const pick = <T>(random: Random, choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
const silent = (): void => undefined;

const paths = ['a.md', 'A.md', 'd/e/f.md', 'd/E/g.md', 'd/z.md', 'd0.md', 'é.md', '🗝.md', '\uff5e.md'];
const ids = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? `opaque-${at}` : `018f0000-0000-7000-8000-00000000000${at % 10}`));

const randomEvent = (random: Random): IndexedEvent => ({
  eventId: pick(random, ids),
  keyHash: Buffer.alloc(16, Math.floor(random() * 12)),
  place: { segment: 1 + Math.floor(random() * 3), offset: Math.floor(random() * 1e6), length: Math.floor(random() * 900) },
  recorded:
    random() < 0.2
      ? null
      : {
          workspaceId: pick(random, ['ws-a', 'ws-b']),
          path: pick(random, paths),
          event_id: pick(random, ids),
          timestamp: '2026-01-01T00:00:00.000Z',
          hash: random() < 0.3 ? null : `sha256:${Math.floor(random() * 99)}`,
          adopted: random() < 0.3,
        },
});

const everythingIn = (index: EventIndex) => ({
  position: index.position(),
  events: ids.map(id => index.findById(id)),
  keys: Array.from({ length: 12 }, (_, at) => index.findByKey(Buffer.alloc(16, at))),
  last: paths.map(path => index.lastRecorded('ws-a', path)),
  pages: ['', 'a.md', 'd/z.md'].map(after => index.recordedAfter('ws-b', after, 3)),
  spellings: ['a.md', 'd', 'd/e', 'd/e/f.md', 'é.md'].map(folded => index.spellings(folded)),
  below: ['d', 'd/e', 'a.md'].map(directory => index.recordedBelow(directory, '', 2)),
  sealed: [...index.sealedSegments()].sort(([a], [b]) => a - b),
  findings: index.findings(),
  ids: [...index.eventIds()].sort(),
});

/** The same random transaction on one index; returns what its calls answered. */
const transact = (index: EventIndex, chance: number, read: EventIndex): readonly unknown[] => {
  const random = seededRandom(chance);
  const transaction = index.begin();
  const answers: unknown[] = [];
  for (let count = Math.floor(random() * 5); count > 0; count -= 1) {
    answers.push(transaction.add(randomEvent(random)), transaction.position(), read.position());
  }
  if (random() < 0.3) transaction.seal(1 + Math.floor(random() * 2), Math.floor(random() * 1e6));
  const place = { segment: 2, offset: 10, length: 20 };
  const last = random() < 0.5 ? null : { place, digest: `${random()}` };
  transaction.moveTo({ segment: 2, offset: last === null ? Math.floor(random() * 9) : 31, last });
  answers.push(transaction.position());
  if (random() < 0.25) transaction.rollback();
  else transaction.commit();
  return answers;
};

test(`the simulated event index answers as the one on disk (seed ${seed})`, () => {
  const random = seededRandom(seed);
  const directory = join(scratch, 'index');
  mkdirSync(directory);
  const shared = createSimulatedIndex();
  const [real, simulated] = [nodePlatform.createIndex(directory), shared.open(silent)];
  const [otherReal, otherSimulated] = [nodePlatform.findIndex(directory)!, shared.open(silent)];
  for (let round = 0; round < 150; round += 1) {
    const chance = Math.floor(random() * 2 ** 32);
    const first = random() < 0.5;
    const expected = transact(first ? real : otherReal, chance, otherReal);
    expect(transact(first ? simulated : otherSimulated, chance, otherSimulated), `round ${round}`).toEqual(expected);
    expect(everythingIn(otherSimulated), `round ${round}`).toEqual(everythingIn(otherReal));
    expect(everythingIn(simulated), `round ${round}`).toEqual(everythingIn(real));
  }
  expect(everythingIn(createSimulatedIndex(shared.transactions).open(silent))).toEqual(everythingIn(real));
  for (const index of [real, otherReal]) index.close();
});

const keys = ['k', 'l', 'm', 'ä', '🗝'];
const randomRow = (random: Random): SharedRow => ({
  scope: pick(random, ['ws-a', 'ws-b']),
  key: pick(random, keys),
  // A lease id names one lease.
  tag: random() < 0.3 ? '' : `${random()}`,
  expires: Math.floor(random() * 100),
  value: `{"n":${Math.floor(random() * 1e6)}}`,
});

const changeRows = (rows: SharedRows, chance: number): string => {
  const random = seededRandom(chance);
  const work = (): void => {
    for (let count = 1 + Math.floor(random() * 3); count > 0; count -= 1) {
      const roll = random();
      if (roll < 0.6) rows.put(randomRow(random));
      else if (roll < 0.8) rows.delete('ws-a', pick(random, keys));
      else rows.expire(Math.floor(random() * 50));
    }
    if (random() < 0.2) throw new Error('undone');
  };
  try {
    rows.transact(work);
    return 'done';
  } catch (error) {
    return String(error);
  }
};

const allRows = (rows: SharedRows) => ({
  a: rows.list('ws-a'),
  b: rows.list('ws-b'),
  byTag: rows.list('ws-a').map(({ tag }) => rows.findByTag(tag)),
  each: keys.map(key => rows.get('ws-b', key)),
});

test(`the simulated rows answer as those on disk (seed ${seed})`, () => {
  const random = seededRandom(seed);
  const directory = join(scratch, 'rows');
  mkdirSync(directory);
  const shared = createSimulatedRows();
  const real = nodePlatform.openRows(directory, 'leases', { fresh: true });
  const [simulated, other] = [shared.open(silent), shared.open(silent)];
  for (let round = 0; round < 200; round += 1) {
    const chance = Math.floor(random() * 2 ** 32);
    expect(changeRows(simulated, chance), `round ${round}`).toBe(changeRows(real, chance));
    expect(allRows(other), `round ${round}`).toEqual(allRows(real));
  }
  expect(allRows(createSimulatedRows(shared.transactions).open(silent))).toEqual(allRows(real));
  real.close();
});

test(`wherever a power cut ends SQLite’s write-ahead log, what is left is one of the states the simulation allows (seed ${seed})`, () => {
  const random = seededRandom(seed);
  const [directory, copy] = [join(scratch, 'cut'), join(scratch, 'copy')];
  for (const each of [directory, copy]) mkdirSync(each);
  const shared = createSimulatedRows();
  const real = nodePlatform.openRows(directory, 'leases', { fresh: true });
  for (let round = 0; round < 25; round += 1) {
    const chance = Math.floor(random() * 2 ** 32);
    changeRows(real, chance);
    changeRows(shared.open(silent), chance);
  }
  const allowed = Array.from({ length: shared.transactions.length + 1 }, (_, count) =>
    JSON.stringify(allRows(createSimulatedRows(shared.transactions.slice(0, count)).open(silent))),
  );
  const database = readdirSync(directory).find(name => name.endsWith('.sqlite'))!;
  const logged = statSync(join(directory, `${database}-wal`)).size;
  const seen = new Set<string>();
  for (let cut = 0; cut < 60; cut += 1) {
    for (const name of readdirSync(copy)) rmSync(join(copy, name));
    for (const suffix of ['', '-wal']) copyFileSync(join(directory, database + suffix), join(copy, database + suffix));
    truncateSync(join(copy, `${database}-wal`), Math.floor(random() * (logged + 1)));
    const left = nodePlatform.openRows(copy, 'leases', { fresh: false });
    const state = JSON.stringify(allRows(left));
    left.close();
    expect(allowed).toContain(state);
    seen.add(state);
  }
  expect(seen.size).toBeGreaterThan(5);
  real.close();
});
