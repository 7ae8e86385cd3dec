import { expect, test } from 'vitest';
import { createMemoryStore, type MemoryStore } from '#stores/memory';
import { del, evt, type KernelHarness, op, openHarness, patch, rule, withCapabilities } from './kernel-harness.ts';

/** A kernel beside which another one acts, once, after the key was looked up and before the document is read. */
const interrupted = (store: MemoryStore, meanwhile: (other: KernelHarness) => Promise<unknown>): KernelHarness => {
  const other = openHarness({ store });
  let due = true;
  const read: MemoryStore['vfs']['read'] = async path => {
    if (due) {
      due = false;
      await meanwhile(other);
    }
    return store.vfs.read(path);
  };
  return openHarness({ store, adapt: () => ({ vfs: { ...store.vfs, read } }) });
};

const key = { idempotency_key: 'one' };

test('who may create but not replace is answered with the creation that the same request made a moment ago', async () => {
  const principal = withCapabilities('ssss:rule:create');
  const request = op('a.md', rule('x\n'), key);
  const kernel = interrupted(createMemoryStore(), other => other.accept(request, { principal }));
  const [event] = [await kernel.accept(request, { principal }), await kernel.lastEvent()].map(({ event_id }) => event_id);
  expect(event).toBe((await kernel.lastEvent()).event_id);
  expect(await kernel.events()).toHaveLength(1);
});

test('who may create but not replace is still refused what another request made a moment ago', async () => {
  const principal = withCapabilities('ssss:rule:create');
  const kernel = interrupted(createMemoryStore(), other => other.accept(op('a.md', rule('x\n'))));
  expect(await kernel.send(op('a.md', rule('y\n'), key), { principal })).toMatchObject({ error: { code: 'forbidden' } });
});

test('a dry run never rests on what a request under its own key has just committed', async () => {
  const create = op('a.md', rule('x\n'), key);
  const kernel = interrupted(createMemoryStore(), other => other.accept(create));
  const answer = await kernel.send(patch('a.md', { x_n: 1 }, { ...key, dry_run: true }));
  expect(answer).toMatchObject({ error: { code: 'idempotency_conflict' } });
});

test('a commit replays although an operation that changed nothing took its key at the same time', async () => {
  const store = createMemoryStore();
  await openHarness({ store }).accept(op('same.md', rule('x\n')));
  const unchanged = op('same.md', rule('x\n'), key);
  const kernel = interrupted(store, other => other.accept(unchanged));
  const commit = op('b.md', rule('y\n'), key);
  const { event_id } = await kernel.accept(commit);
  expect(await kernel.accept(commit)).toMatchObject({ event_id, replay: true });
  expect(await kernel.code(unchanged)).toBe('idempotency_conflict');
});

test('an operation that changed nothing keeps its key against later requests', async () => {
  const kernel = openHarness();
  await kernel.accept(op('a.md', rule('x\n')));
  const unchanged = op('a.md', rule('x\n'), key);
  await kernel.accept(unchanged);
  expect(await kernel.accept(unchanged)).toMatchObject({ unchanged: true, replay: true });
  for (const other of [op('a.md', rule('y\n'), key), del('a.md', key), evt('shop/door', 1, key)])
    expect(await kernel.code(other)).toBe('idempotency_conflict');
});
