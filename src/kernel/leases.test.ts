import { expect, test } from 'vitest';
import { createMemoryStore } from '#stores/memory';
import { claim, evt, failing, fixedClock, op, openHarness, patch, person, rule } from '../../test/kernel-model/kernel-harness.ts';

const held = async (ttlSeconds = 60) => {
  const clock = fixedClock();
  const store = createMemoryStore({ clock });
  const lease = await store.leases.acquire({
    workspace_id: 'ws-a',
    target: 'c.md',
    principal_id: 'u1',
    operation_id: 'op1',
    ttlSeconds,
  });
  return { clock, store, lease, mine: { lease_id: lease.lease_id, operation_id: 'op1' } };
};

test('a leased write needs the lease, its holder and its unit of work', async () => {
  const { store, mine } = await held();
  const { accept, code } = openHarness({ store });
  expect(await code(op('c.md', claim))).toBe('lease_conflict');
  expect(await code(op('c.md', claim, { ...mine, operation_id: 'op2' }))).toBe('lease_conflict');
  expect(await code(op('c.md', claim, { lease_id: mine.lease_id }))).toBe('lease_conflict');
  expect(await code(op('c.md', claim, mine), { principal: { ...person, id: 'u2' } })).toBe('lease_conflict');
  await accept(op('c.md', claim, mine));
});

test('an expired lease is none, also when it expires before the commit lock is held', async () => {
  const { clock, store, mine } = await held();
  const late = { ...store, events: store.events, vfs: { ...store.vfs } };
  // Stage 3 and the check under the lock both ask for twins of a new path; the second time the lease has run out.
  let asked = 0;
  late.vfs.findTwin = path => {
    asked += 1;
    return store.vfs.findTwin(path);
  };
  const prepare = async () => {
    clock.move(61);
    return null;
  };
  const resources = { prepare, finalize: async () => undefined, reconcile: async () => undefined };
  const { code, accept } = openHarness({ store: late, clock, resources });
  expect(await code(op('c.md', claim, mine))).toBe('lease_conflict');
  expect(asked).toBe(1);
  const next = await store.leases.acquire({
    workspace_id: 'ws-a',
    target: 'c.md',
    principal_id: 'u2',
    operation_id: 'op9',
    ttlSeconds: 600,
  });
  await accept(op('c.md', claim, { lease_id: next.lease_id, operation_id: 'op9' }), { principal: { ...person, id: 'u2' } });
});

test('a presented lease is verified whatever the type or envelope', async () => {
  const { store, mine } = await held();
  const { accept, code } = openHarness({ store });
  expect(await code(op('a.md', rule('x'), mine))).toBe('lease_conflict');
  expect(await code(evt('a.md', undefined, mine))).toBe('lease_conflict');
  await accept(op('c.md', rule('x'), mine));
  await accept(evt('c.md', undefined, mine));
});

test('what the host does under a claim ends with the claim, on every path and for events, also when it ends on the way', async () => {
  const { clock, store, mine } = await held();
  let moves = 0;
  const prepare = async () => {
    clock.move(moves);
    return null;
  };
  const resources = { prepare, finalize: async () => undefined, reconcile: async () => undefined };
  const { accept, code } = openHarness({ store, clock, resources, adapt: () => ({ leaseRequired: (path: string) => path === 'c.md' }) });
  const fence = { ...mine, target: 'c.md', principal_id: 'u1' };
  await accept(op('a.md', rule('x')), { fence });
  await accept(evt('a.md'), { fence });
  await accept(op('c.md', rule('x')), { fence });
  expect(await code(op('d.md', rule('x')), { fence: { ...fence, operation_id: 'op2' } })).toBe('lease_conflict');
  expect(await code(op('d.md', rule('x')), { fence: { ...fence, target: 'd.md' } })).toBe('lease_conflict');
  moves = 61;
  expect(await code(op('d.md', rule('x')), { fence })).toBe('lease_conflict');
  expect(await store.vfs.read('d.md')).toBeNull();
});

test('an event under a claim that ends before the log is reached is not recorded', async () => {
  const { clock, store, mine } = await held();
  const prepare = async () => {
    clock.move(61);
    return null;
  };
  const resources = { prepare, finalize: async () => undefined, reconcile: async () => undefined };
  const { code } = openHarness({ store, clock, resources });
  expect(await code(evt('a.md'), { fence: { ...mine, target: 'c.md', principal_id: 'u1' } })).toBe('lease_conflict');
  expect(await store.events.end()).toBeNull();
});

test('policy can require a lease for a path; events write no document and need none', async () => {
  const { store, mine } = await held();
  const { accept, code } = openHarness({ store, adapt: () => ({ leaseRequired: (path: string) => path === 'c.md' }) });
  expect(await code(op('c.md', rule('x')))).toBe('lease_conflict');
  await accept(op('c.md', rule('x'), mine));
  await accept(op('d.md', rule('x')));
  await accept(evt('c.md'));
});

test('without a policy for the path another’s lease does not stop a write', async () => {
  const { store } = await held();
  await openHarness({ store }).accept(op('c.md', rule('x')), { principal: { ...person, id: 'u2' } });
});

test('a dry run needs the lease, a replay does not', async () => {
  const { store, mine, clock } = await held();
  const { accept, code } = openHarness({ store });
  expect(await code(op('c.md', claim, { dry_run: true }))).toBe('lease_conflict');
  const sent = op('c.md', claim, mine);
  await accept(sent);
  clock.move(3600);
  expect((await accept(sent)).replay).toBe(true);
});

test('a host without leases refuses whatever needs one', async () => {
  const { leases: _, ...store } = createMemoryStore();
  const { code } = openHarness({ store: store as ReturnType<typeof createMemoryStore> });
  expect(await code(op('c.md', claim))).toBe('lease_conflict');
  expect(await code(op('a.md', rule('x'), { lease_id: 'l', operation_id: 'o' }))).toBe('lease_conflict');
});

test('unreadable lease state is an internal error', async () => {
  const { store, mine } = await held();
  const { code } = openHarness({ store, adapt: given => ({ leases: failing(given.leases, 'verify', new Error('disk')) }) });
  expect(await code(op('c.md', claim, mine))).toBe('internal_error');
  const broken = openHarness({
    adapt: () => ({
      leaseRequired() {
        throw new Error('policy is broken');
      },
    }),
  });
  expect(await broken.code(op('a.md', rule('x')))).toBe('internal_error');
});

test('a stalled worker’s result does not land after its lease went to a successor', async () => {
  const { clock, store, mine } = await held(2);
  const { accept, code, text } = openHarness({ store, clock });
  await accept(op('c.md', claim, mine));
  clock.move(5);
  const successor = await store.leases.acquire({ workspace_id: 'ws-a', target: 'c.md', principal_id: 'u1', operation_id: 'op2' });
  expect(await code(patch('c.md', { status: 'done' }, mine))).toBe('lease_conflict');
  expect(await text('c.md')).toBe(claim);
  expect((await store.leases.current('ws-a', 'c.md'))?.expires_at).toBe(successor.expires_at);
});
