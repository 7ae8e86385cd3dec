import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { fakeClock, sampleEvent } from '#adapter-contracts/testing';
import { committing, recover, replayed, textAt } from './commit-fixture.ts';
import { nodePlatform } from './fs-platform.ts';
import { freshRoot, logFile, namesIn, openAt, removeRoots } from './store-fixture.ts';

const commit = committing(sampleEvent);
afterAll(removeRoots);

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
