import { appendFileSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { sampleEvent, sampleHash } from '#adapter-contracts/testing';
import { committing, replayed } from './commit-fixture.ts';
import { freshRoot, logFile, namesIn, openAt, removeRoots } from './store-fixture.ts';

const commit = committing(sampleEvent);
afterAll(removeRoots);

test('deleting .ssss/derived loses nothing', async () => {
  const root = freshRoot();
  const first = await openAt(root);
  const event = await commit(first, 'n/a.md', 'one');
  await first.close();
  rmSync(join(root, '.ssss', 'derived'), { recursive: true });
  const second = await openAt(root);
  expect(await second.events.findById(event.event_id)).toEqual(event);
  expect(await second.events.findByIdempotencyKey('ws-acme', event.idempotency_key)).toEqual(event);
  expect(await second.events.lastRecorded('ws-acme', 'n/a.md')).toMatchObject({ hash: event.after_hash, adopted: false });
  expect(await second.vfs.findTwin('N/b.md')).toBe('n/a.md');
  await expect(second.events.append(event)).rejects.toThrow(event.event_id);
  // Also while a store is open: it goes on, and the next one finds everything.
  rmSync(join(root, '.ssss', 'derived'), { recursive: true });
  const later = await commit(second, 'n/b.md', 'two');
  await second.close();
  const third = await openAt(root);
  expect(await third.events.findById(later.event_id)).toEqual(later);
  expect(third.notices()).toEqual([]);
  await third.close();
});

test('an index that came with a copied vault is not believed', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  const event = await commit(store, 'a.md', 'one');
  await store.close();
  const [index] = namesIn(root, '.ssss/derived');
  const planted = freshRoot();
  cpSync(root, planted, { recursive: true });
  const poisoned = new Database(join(planted, '.ssss', 'derived', index ?? ''));
  poisoned.exec('DELETE FROM events; DELETE FROM keys');
  poisoned.close();
  const copy = await openAt(planted);
  expect(await copy.events.findById(event.event_id)).toEqual(event);
  await copy.close();
  expect(namesIn(planted, '.ssss/derived')).not.toContain(index);
});

test('a damaged index is rebuilt and said so', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  const event = await commit(store, 'a.md', 'one');
  await store.close();
  const [index] = namesIn(root, '.ssss/derived');
  const path = join(root, '.ssss', 'derived', index ?? '');
  writeFileSync(path, Buffer.alloc(statSync(path).size, 'garbage '));
  const again = await openAt(root);
  expect(await again.events.findById(event.event_id)).toEqual(event);
  await commit(again, 'a.md', 'two');
  await again.close();
});

test('a log shortened or exchanged by git is noticed, the index rebuilt, nothing dropped', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  const first = await commit(store, 'a.md', 'one');
  const line = readFileSync(logFile(root));
  const second = await commit(store, 'a.md', 'two');
  writeFileSync(logFile(root), line);
  expect(await store.events.findById(second.event_id)).toBeNull();
  expect(await store.events.findById(first.event_id)).toEqual(first);
  expect(store.notices()).toMatchObject([
    { kind: 'index_rebuilt', message: expect.stringContaining('no longer continues') },
    { kind: 'events_missing', message: expect.stringContaining(second.event_id) },
  ]);
  const other = sampleEvent();
  writeFileSync(logFile(root), `${JSON.stringify(other)}\n`);
  await store.events.append(sampleEvent());
  expect((await replayed(store)).map(event => event.event_id)[0]).toBe(other.event_id);
  expect(await store.events.findById(first.event_id)).toBeNull();
  await store.close();
});

test('lines that arrive from elsewhere are indexed, and repeated event ids named', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  const event = await commit(store, 'a.md', 'one');
  const pulled = sampleEvent({ subject: 'pulled.md', after_hash: sampleHash('c') });
  appendFileSync(logFile(root), `${JSON.stringify(pulled)}\n${JSON.stringify(event)}\n`);
  expect(await store.events.lastRecorded('ws-acme', 'pulled.md')).toMatchObject({ hash: sampleHash('c') });
  expect(store.notices()).toMatchObject([{ kind: 'duplicate_event', message: expect.stringContaining(event.event_id) }]);
  expect(await replayed(store)).toHaveLength(3);
  await store.close();
});

test('half a line is set aside under the lock, reported once, and its bytes are kept', async () => {
  const root = freshRoot();
  const first = await openAt(root);
  const event = await commit(first, 'a.md', 'one');
  await first.close();
  const whole = readFileSync(logFile(root));
  appendFileSync(logFile(root), '{"event_id":"torn');
  const store = await openAt(root);
  // Reading leaves a tracked file alone.
  expect(await replayed(store)).toEqual([event]);
  expect(await store.events.damage()).toMatchObject([{ offset: whole.length, length: 17, reason: 'half a line at the end' }]);
  expect(readFileSync(logFile(root)).length).toBe(whole.length + 17);
  const next = await commit(store, 'a.md', 'two');
  await commit(store, 'a.md', 'three');
  const notices = store.notices().filter(({ kind }) => kind === 'torn_tail');
  expect(notices).toMatchObject([{ file: '.ssss/events/00000001.jsonl', offset: whole.length }]);
  expect(readFileSync(join(root, '.ssss-intents', 'quarantine', `log-tail-1-${whole.length}.bin`), 'utf8')).toBe('{"event_id":"torn');
  expect(await store.events.findById(next.event_id)).toEqual(next);
  expect(await store.events.damage()).toEqual([]);
  await store.close();
});
