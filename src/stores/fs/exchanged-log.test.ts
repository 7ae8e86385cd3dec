import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { committing, replayed } from './commit-fixture.ts';
import type { FsStore } from './fs-store.ts';
import { freshRoot, logFile, openAt, removeRoots } from './store-fixture.ts';

const commit = committing(sampleEvent);
afterAll(removeRoots);

/** As git puts a file in place: the new one takes the name. */
const exchange = (root: string, text: string | Uint8Array): void => {
  writeFileSync(`${logFile(root)}.new`, text);
  renameSync(`${logFile(root)}.new`, logFile(root));
};
const known = async (store: FsStore) => (await store.events.knownDamage?.()) ?? [];

test('what a checkout took out of the log is named by every process, until it is back', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  await commit(store, 'a.md', 'one');
  const short = readFileSync(logFile(root));
  const lost = [await commit(store, 'a.md', 'two'), await commit(store, 'b.md', 'three')];
  const long = readFileSync(logFile(root));
  exchange(root, short);
  const [damage] = await known(store);
  expect(damage).toMatchObject({ kind: 'missing', file: '.ssss/events' });
  for (const { event_id } of lost) expect(damage?.reason).toContain(event_id);
  expect((await store.events.damage()).map(({ kind }) => kind)).toEqual(['missing']);
  await store.close();
  // A command that comes later did not see it happen.
  const later = await openAt(root);
  expect(await known(later)).toEqual([damage]);
  expect(later.notices()).toEqual([]);
  exchange(root, long);
  expect(await known(later)).toEqual([]);
  expect(await replayed(later)).toHaveLength(3);
  await later.close();
});

test('events of two branches, merged line by line, all count, and none is missing', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  const base = await commit(store, 'a.md', 'one');
  const trunk = readFileSync(logFile(root));
  const own = await commit(store, 'b.md', 'two');
  const whole = readFileSync(logFile(root));
  const theirs = sampleEvent({ subject: 'c.md' });
  const line = `${JSON.stringify(theirs)}\n`;
  // Theirs first, as a union merge may order them; then the shared line once more, as a careless merge leaves it.
  exchange(root, Buffer.concat([trunk, Buffer.from(line), whole.subarray(trunk.length), trunk]));
  expect((await replayed(store)).map(({ event_id }) => event_id)).toEqual([base, theirs, own, base].map(({ event_id }) => event_id));
  for (const { event_id } of [base, theirs, own]) expect(await store.events.findById(event_id)).toMatchObject({ event_id });
  const repeated = { kind: 'repeated', offset: whole.length + line.length, reason: expect.stringContaining(base.event_id) };
  expect(await known(store)).toMatchObject([repeated]);
  await store.close();
  const later = await openAt(root);
  expect(await known(later)).toMatchObject([repeated]);
  await later.close();
});

test('an event that this process acknowledged a moment ago is not forgotten, also when another process rebuilt the index first', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  const other = await openAt(root);
  await commit(store, 'a.md', 'one');
  expect(await replayed(other)).toHaveLength(1);
  const short = readFileSync(logFile(root));
  const acknowledged = await commit(store, 'a.md', 'two');
  exchange(root, short);
  const third = await commit(other, 'b.md', 'three');
  expect(await store.events.findById(third.event_id)).toMatchObject({ subject: 'b.md' });
  expect((await known(store))[0]?.reason).toContain(acknowledged.event_id);
  expect((await known(other))[0]?.reason).toContain(acknowledged.event_id);
  await store.close();
  await other.close();
});

test('a segment that is gone while the store is open names the events that stood there', async () => {
  const root = freshRoot();
  const store = await openAt(root, { segmentBytes: 1_500 });
  for (let index = 0; index < 6; index += 1) await commit(store, `n${index}.md`, `${index}`);
  const [first] = await replayed(store);
  rmSync(logFile(root, 1));
  const later = await commit(store, 'last.md', 'last');
  const missing = (await known(store)).filter(({ kind }) => kind === 'missing');
  expect(missing).toMatchObject([{ reason: expect.stringContaining(first!.event_id) }]);
  expect(await store.events.findById(first!.event_id)).toBeNull();
  expect(await store.events.findById(later.event_id)).toMatchObject({ subject: 'last.md' });
  await store.close();
});

test('bytes in the log that are no event are known to every process without reading the log again', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  await commit(store, 'a.md', 'one');
  const offset = readFileSync(logFile(root)).length;
  appendFileSync(logFile(root), '{"event_id": broken}\n');
  await commit(store, 'b.md', 'two');
  const damage = { kind: 'unreadable', file: '.ssss/events/00000001.jsonl', offset, length: 20, reason: 'not JSON' };
  expect(await known(store)).toEqual([damage]);
  await store.close();
  const later = await openAt(root);
  expect(await known(later)).toEqual([damage]);
  await later.close();
});
