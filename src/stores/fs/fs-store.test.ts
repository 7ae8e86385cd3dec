import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { fakeClock, sampleEvent, sampleHash } from '#adapter-contracts/testing';
import { committing, recover, replayed, textAt } from './commit-fixture.ts';
import { nodePlatform } from './fs-platform.ts';
import type { FsStoreOptions } from './fs-store.ts';
import { openFsStore } from './open-fs-store.ts';

const commit = committing(sampleEvent);
const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});
const freshRoot = (): string => {
  const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sheaf-fs-'));
  roots.push(root);
  return root;
};
const openAt = (root: string, options: Partial<FsStoreOptions> = {}) =>
  openFsStore({ root, workspaceId: 'ws-acme', lockTimeoutMs: 500, ...options });
const logFile = (root: string, segment = 1): string => join(root, '.ssss', 'events', `0000000${segment}.jsonl`);
const namesIn = (root: string, directory: string): readonly string[] =>
  existsSync(join(root, directory)) ? readdirSync(join(root, directory)).sort() : [];

test('opening and reading a fresh vault writes nothing that git tracks', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  expect(await store.vfs.read('a.md')).toBeNull();
  expect(await store.vfs.findTwin('a.md')).toBeNull();
  expect(await replayed(store)).toEqual([]);
  expect(await store.events.damage()).toEqual([]);
  await store.close();
  expect(namesIn(root, '.ssss')).toEqual(['derived']);
});

test('a vault must exist before it is opened', async () => {
  await expect(openAt(join(freshRoot(), 'nowhere'))).rejects.toThrow('is not a directory');
});

test('internal directories that are links are refused: they would lead writes out of the vault', async () => {
  const root = freshRoot();
  const outside = freshRoot();
  mkdirSync(join(root, '.ssss'));
  symlinkSync(outside, join(root, '.ssss', 'events'));
  const store = await openAt(root);
  await expect(store.events.append(sampleEvent())).rejects.toThrow("'.ssss/events' is a symlink");
  await store.close();
  expect(readdirSync(outside)).toEqual([]);
});

test('a replaced document keeps its file mode, a new one gets the usual', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  await commit(store, 'a.md', 'one');
  const usual = statSync(join(root, 'a.md')).mode;
  chmodSync(join(root, 'a.md'), 0o640);
  await commit(store, 'a.md', 'two');
  expect(statSync(join(root, 'a.md')).mode & 0o777).toBe(0o640);
  expect(usual & 0o777).toBe(0o666 & ~process.umask());
  await store.close();
});

test('a create that is taken back removes the directories it made, and no others', async () => {
  const root = freshRoot();
  mkdirSync(join(root, 'kept'));
  const store = await openAt(root);
  const failing = commit(store, 'kept/new/deep/a.md', 'text', async () => {
    throw new Error('no event today');
  });
  await expect(failing).rejects.toThrow('no event today');
  expect(namesIn(root, 'kept')).toEqual([]);
  expect(existsSync(join(root, 'kept'))).toBe(true);
  await store.close();
});

test('a failed entry of a batch does not fail the others', async () => {
  const store = await openAt(freshRoot());
  const paths = Array.from({ length: 20 }, (_, at) => `d/${at}.md`);
  const settled = await Promise.allSettled(
    paths.map((path, at) =>
      commit(store, path, `text ${at}`, async () => {
        if (at % 3 === 0) throw new Error('refused');
      }),
    ),
  );
  for (const [at, path] of paths.entries()) {
    expect(settled[at]?.status).toBe(at % 3 === 0 ? 'rejected' : 'fulfilled');
    expect(await textAt(store, path)).toBe(at % 3 === 0 ? null : `text ${at}`);
  }
  expect(await replayed(store)).toHaveLength(13);
  await store.close();
});

test('creators of case twins meet at the lock: one wins, the other is refused as invalid', async () => {
  const store = await openAt(freshRoot());
  const settled = await Promise.allSettled([commit(store, 'Notes/a.md', 'x'), commit(store, 'notes/A.md', 'y')]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(settled[1]).toMatchObject({ reason: { code: 'invalid_request', message: expect.stringContaining("'Notes/a.md'") } });
  await commit(store, 'Notes/a.md', null);
  await commit(store, 'notes/A.md', 'y');
  await store.close();
});

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
  expect(store.notices()).toMatchObject([{ kind: 'index_rebuilt', message: expect.stringContaining('no longer continues') }]);
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

test('a conflicting leftover is moved to the quarantine, reported once, and the path goes on', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  await commit(store, 'a.md', 'old');
  let lost = '';
  const unknown = commit(store, 'a.md', 'new', async event => {
    lost = event.event_id;
    const { UnknownAppendOutcomeError } = await import('#adapter-contracts');
    throw new UnknownAppendOutcomeError('gone');
  });
  await expect(unknown).rejects.toThrow('gone');
  writeFileSync(join(root, 'a.md'), 'edited by hand');
  const kept_at = `.ssss-intents/quarantine/${lost}.json`;
  expect(await recover(store)).toMatchObject([{ path: 'a.md', event_id: lost, outcome: 'conflict', kept_at }]);
  expect(await recover(store)).toEqual([]);
  expect(JSON.parse(readFileSync(join(root, kept_at), 'utf8'))).toMatchObject({
    path: 'a.md',
    prior: Buffer.from('old').toString('base64'),
  });
  expect(store.notices()).toMatchObject([{ kind: 'intent_conflict', file: kept_at }]);
  await commit(store, 'a.md', 'next');
  expect(await textAt(store, 'a.md')).toBe('next');
  await store.close();
});

test('records larger than the journal make it longer', async () => {
  const store = await openAt(freshRoot());
  const large = 'x'.repeat(3_000_000);
  await commit(store, 'a.md', large);
  await commit(store, 'a.md', `${large}y`);
  await commit(store, 'a.md', 'small');
  expect(await textAt(store, 'a.md')).toBe('small');
  await store.close();
});

test('the idempotency cache expires after a day, and a damaged one starts anew', async () => {
  const root = freshRoot();
  const clock = fakeClock();
  const store = await openAt(root, { clock });
  const record = { request_hash: 'h', response: { ok: true }, recorded_at: clock.now().toISOString() };
  await store.idempotency.put('ws-acme', 'k', record);
  clock.advance(24 * 3_600_000 - 1);
  expect(await store.idempotency.get('ws-acme', 'k')).toEqual(record);
  clock.advance(1);
  expect(await store.idempotency.get('ws-acme', 'k')).toBeNull();
  await store.idempotency.put('ws-acme', 'k', { ...record, recorded_at: clock.now().toISOString() });
  await store.close();
  const name = namesIn(root, '.ssss/coordination').find(file => /^idempotency-.*\.sqlite$/.test(file)) ?? '';
  writeFileSync(join(root, '.ssss', 'coordination', name), 'not a database, but long enough to be looked at as one');
  const again = await openAt(root, { clock });
  expect(await again.idempotency.get('ws-acme', 'k')).toBeNull();
  expect(again.notices()).toMatchObject([{ kind: 'cache_reset' }]);
  await again.idempotency.put('ws-acme', 'k', { ...record, recorded_at: clock.now().toISOString() });
  expect(await again.idempotency.get('ws-acme', 'k')).not.toBeNull();
  await again.close();
});

test('deleting .ssss/coordination while stores are open leads them to one new place', async () => {
  const root = freshRoot();
  const [one, two] = [await openAt(root), await openAt(root)];
  const request = { workspace_id: 'ws-acme', target: 'a.md', principal_id: 'p', operation_id: 'o' };
  await one.leases.acquire(request);
  await expect(two.leases.acquire(request)).rejects.toMatchObject({ code: 'lease_conflict' });
  rmSync(join(root, '.ssss', 'coordination'), { recursive: true });
  await two.leases.acquire(request);
  await expect(one.leases.acquire(request)).rejects.toMatchObject({ code: 'lease_conflict' });
  await one.close();
  await two.close();
});

test('lease state that cannot be read is an error, never "no lease"', async () => {
  const root = freshRoot();
  const store = await openAt(root);
  await store.leases.acquire({ workspace_id: 'ws-acme', target: 'a.md', principal_id: 'p', operation_id: 'o' });
  await store.close();
  const name = namesIn(root, '.ssss/coordination').find(file => /^leases-.*\.sqlite$/.test(file)) ?? '';
  const path = join(root, '.ssss', 'coordination', name);
  const rows = nodePlatform.openRows(join(root, '.ssss', 'coordination'), 'leases', { fresh: false });
  const row = rows.get('ws-acme', 'a.md');
  rows.put({ ...row!, value: '{"lease_id":1}' });
  rows.close();
  const second = await openAt(root);
  await expect(second.leases.current('ws-acme', 'a.md')).rejects.toThrow("lease on 'a.md'");
  await second.close();
  truncateSync(path, 50);
  const third = await openAt(root);
  await expect(third.leases.current('ws-acme', 'a.md')).rejects.toThrow('cannot be read');
  await third.close();
});

test('a folder that grants one lock twice is opened for reading only, and says why', async () => {
  const root = freshRoot();
  const writer = await openAt(root);
  const event = await commit(writer, 'a.md', 'one');
  await writer.close();
  const store = await openAt(root, { platform: { ...nodePlatform, locks: { tryLock: () => true, unlock: () => undefined } } });
  expect(store.notices()).toMatchObject([{ kind: 'read_only', message: expect.stringContaining('grants the same file lock twice') }]);
  expect(await textAt(store, 'a.md')).toBe('one');
  expect(await replayed(store)).toEqual([event]);
  await expect(commit(store, 'a.md', 'two')).rejects.toThrow('cannot be written: the folder grants');
  await store.close();
});

test('a store opened for reading only changes no file', async () => {
  const root = freshRoot();
  const writer = await openAt(root);
  const event = await commit(writer, 'a.md', 'one');
  const claim = { workspace_id: 'ws-acme', target: 'a.md', principal_id: 'agent:a', operation_id: 'job' };
  const lease = await writer.leases.acquire(claim);
  await writer.close();
  appendFileSync(logFile(root), '{"torn');
  const before = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  const store = await openAt(root, { readOnly: true });
  expect(await store.events.findById(event.event_id)).toEqual(event);
  expect(await store.events.lastRecorded('ws-acme', 'a.md')).toMatchObject({ hash: event.after_hash });
  await expect(store.events.append(sampleEvent())).rejects.toThrow('opened for reading only');
  expect(await store.leases.list('ws-acme')).toEqual([lease]);
  await expect(store.leases.acquire(claim)).rejects.toThrow('opened for reading only');
  await store.close();
  expect(readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()).toEqual(before);
});

test('opening and closing a thousand times leaks no descriptor and no journal', async () => {
  const root = freshRoot();
  const descriptors = (): number => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);
  const once = async (round: number): Promise<void> => {
    const store = await openAt(root);
    if (round % 100 === 0) {
      await commit(store, 'a.md', `round ${round}`);
      await store.idempotency.get('ws-acme', 'k');
      await store.leases.list('ws-acme');
    }
    await store.close();
  };
  await once(0);
  const before = descriptors();
  for (let round = 1; round <= 1_000; round += 1) await once(round);
  expect(descriptors()).toBeLessThanOrEqual(before);
  expect(namesIn(root, '.ssss-intents/journal')).toEqual(['1.journal']);
  expect(namesIn(root, '.ssss-intents/tmp')).toEqual([]);
});

test('what is queued when a store closes is finished, and what comes later refused', async () => {
  const store = await openAt(freshRoot());
  const queued = Array.from({ length: 10 }, (_, at) => commit(store, `${at}.md`, 'x'));
  await turn();
  await Promise.all([store.close(), ...queued]);
  await expect(commit(store, 'late.md', 'x')).rejects.toThrow('closed');
});

test('a commit is refused for a taken lock only after trying it, however long the process itself stood still', async () => {
  const store = await openAt(freshRoot(), { lockTimeoutMs: 50 });
  const late = Array.from({ length: 3 }, (_, at) => commit(store, `${at % 2}.md`, `text ${at}`).catch((error: unknown) => error));
  // The commits are queued by now; a blocked event loop, or a suspended machine, lets their time run out.
  await Promise.resolve();
  await Promise.resolve();
  const until = performance.now() + 150;
  while (performance.now() < until);
  const [first, second] = await Promise.all(late);
  expect(first).toMatchObject({ subject: '0.md' });
  expect(second).toMatchObject({ subject: '1.md' });
  await store.close();
});
