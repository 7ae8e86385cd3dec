import assert from 'node:assert/strict';
import type { Lease, LeaseHolder, LeaseStore } from '#adapter-contracts';
import { systemClock } from '#adapter-contracts';
import { compiledModule, raceTasks } from './child-task.ts';
import { acrossReopen, type ContractHarness, isDurable, locationOf, withStore, withTwoOpenings } from './contract-harness.ts';
import { type AcquireTask, sentStore } from './contract-tasks.ts';
import { fakeClock } from './fake-clock.ts';
import { opaqueStrings } from './opaque-strings.ts';
import { assertOneWinner, assertRefused, outcomeOf } from './refusal.ts';

const workspaceId = 'ws-acme';
const target = 'tasks/t1/TASK.md';
const request = { workspace_id: workspaceId, target, principal_id: 'user-1', operation_id: 'op-1' };
const rival = { workspace_id: workspaceId, target, principal_id: 'user-2', operation_id: 'op-2' };

const holderOf = ({ lease_id, principal_id, operation_id }: Lease): LeaseHolder => ({ lease_id, principal_id, operation_id });

/** Every holder that has two of the three ids right (L3). */
const impostorsOf = (lease: Lease): readonly LeaseHolder[] => [
  { ...holderOf(lease), lease_id: 'another-lease' },
  { ...holderOf(lease), principal_id: 'user-2' },
  { ...holderOf(lease), operation_id: 'op-2' },
];

const assertHeld = async (leases: LeaseStore, lease: Lease): Promise<void> => {
  assert.deepEqual(await leases.verify(lease.workspace_id, lease.target, holderOf(lease)), lease);
  assert.deepEqual(await leases.current(lease.workspace_id, lease.target), lease);
  assert.deepEqual(await leases.find(lease.lease_id), lease);
};

const registerTermTests = (harness: ContractHarness<'leases'>): void => {
  const { test } = harness;
  test('a lease carries the seven fields of the standard and lasts a minute unless asked otherwise', () =>
    withStore(harness, async ({ leases }) => {
      const { lease_id, ...rest } = await leases.acquire(request);
      assert.ok(lease_id.length > 0);
      assert.deepEqual(rest, { ...request, issued_at: '2026-05-16T08:00:00.000Z', expires_at: '2026-05-16T08:01:00.000Z' });
      const longest = await leases.acquire({ ...request, target: 'other.md', ttlSeconds: 86_400 });
      assert.equal(longest.expires_at, '2026-05-17T08:00:00.000Z');
      const short = await leases.acquire({ ...request, target: 'short.md', ttlSeconds: 0.5 });
      assert.equal(short.expires_at, '2026-05-16T08:00:00.500Z');
    }));

  test('the store chooses the lease id and keeps no field it was not asked for', () =>
    withStore(harness, async ({ leases }) => {
      const lease = await leases.acquire({ ...request, lease_id: 'mine', issued_at: '1970-01-01T00:00:00Z', extra: 1 } as typeof request);
      assert.notEqual(lease.lease_id, 'mine');
      assert.deepEqual(
        Object.keys(lease).sort(),
        ['expires_at', 'issued_at', 'lease_id', 'operation_id', 'principal_id', 'target', 'workspace_id'].sort(),
      );
    }));

  test('a time to live that is not finite, above 0 and at most a day is refused', () =>
    withStore(harness, async ({ leases }) => {
      const held = await leases.acquire({ ...request, target: 'held.md' });
      for (const ttlSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 86_400.001, '60' as unknown as number]) {
        await assertRefused(() => leases.acquire({ ...request, ttlSeconds }), 'invalid_request', `acquire ${ttlSeconds}:`);
        await assertRefused(
          () => leases.renew(workspaceId, 'held.md', holderOf(held), ttlSeconds),
          'invalid_request',
          `renew ${ttlSeconds}:`,
        );
      }
      assert.equal(await leases.current(workspaceId, target), null);
      await assertHeld(leases, held);
    }));
};

const registerHolderTests = (harness: ContractHarness<'leases'>): void => {
  const { test } = harness;
  test('a target has at most one live lease, whoever asks', () =>
    withStore(harness, async ({ leases }) => {
      const lease = await leases.acquire(request);
      await assertRefused(() => leases.acquire(rival), 'lease_conflict');
      await assertRefused(() => leases.acquire(request), 'lease_conflict', 'the holder itself:');
      await assertHeld(leases, lease);
    }));

  test('a lease is of one workspace and one target', () =>
    withStore(harness, async ({ leases }) => {
      const lease = await leases.acquire(request);
      await leases.acquire({ ...rival, workspace_id: 'ws-other' });
      await leases.acquire({ ...rival, target: 'tasks/t1/TASK.mdx' });
      await assertRefused(() => leases.verify('ws-other', target, holderOf(lease)), 'lease_conflict');
      await assertRefused(() => leases.verify(workspaceId, 'tasks/t1/TASK.mdx', holderOf(lease)), 'lease_conflict');
      await assertHeld(leases, lease);
    }));

  test('verify, renew and release need the lease id, the principal and the operation together', () =>
    withStore(harness, async ({ leases }) => {
      const lease = await leases.acquire(request);
      for (const impostor of impostorsOf(lease)) {
        await assertRefused(() => leases.verify(workspaceId, target, impostor), 'lease_conflict', 'verify:');
        await assertRefused(() => leases.renew(workspaceId, target, impostor, 600), 'lease_conflict', 'renew:');
        await assertRefused(() => leases.release(workspaceId, target, impostor), 'lease_conflict', 'release:');
      }
      await assertHeld(leases, lease);
    }));

  test('nobody holds what was never leased', () =>
    withStore(harness, async ({ leases }) => {
      const holder = { lease_id: 'none', principal_id: 'user-1', operation_id: 'op-1' };
      await assertRefused(() => leases.verify(workspaceId, target, holder), 'lease_conflict');
      await assertRefused(() => leases.renew(workspaceId, target, holder), 'lease_conflict');
      await assertRefused(() => leases.release(workspaceId, target, holder), 'lease_conflict');
      assert.equal(await leases.current(workspaceId, target), null);
      assert.equal(await leases.find('none'), null);
    }));

  test('release frees the target at once, for the same lease only once', () =>
    withStore(harness, async ({ leases }) => {
      const lease = await leases.acquire(request);
      await leases.release(workspaceId, target, holderOf(lease));
      await assertRefused(() => leases.release(workspaceId, target, holderOf(lease)), 'lease_conflict');
      await assertRefused(() => leases.verify(workspaceId, target, holderOf(lease)), 'lease_conflict');
      assert.equal(await leases.find(lease.lease_id), null);
      await assertHeld(leases, await leases.acquire(rival));
    }));

  test('a target is an opaque string', () =>
    withStore(harness, async ({ leases }) => {
      const taken = [];
      for (const text of opaqueStrings) taken.push(await leases.acquire({ ...request, workspace_id: text, target: text }));
      for (const lease of taken) await assertHeld(leases, lease);
    }));
};

const registerExpiryTests = (harness: ContractHarness<'leases'>): void => {
  const { test } = harness;
  test('renewing extends the end and keeps everything else', () => {
    const clock = fakeClock();
    return withStore(
      harness,
      async ({ leases }) => {
        const lease = await leases.acquire(request);
        clock.advance(30_000);
        const renewed = await leases.renew(workspaceId, target, holderOf(lease), 120);
        assert.deepEqual(renewed, { ...lease, expires_at: '2026-05-16T08:02:30.000Z' });
        await assertHeld(leases, renewed);
        const again = await leases.renew(workspaceId, target, holderOf(lease));
        assert.equal(again.expires_at, '2026-05-16T08:02:30.000Z', 'a shorter renewal must not shorten the lease');
        clock.advance(119_999);
        await assertHeld(leases, renewed);
      },
      clock,
    );
  });

  test('a lease is absent from the instant it expires, for its holder too', () => {
    const clock = fakeClock();
    return withStore(
      harness,
      async ({ leases }) => {
        const lease = await leases.acquire(request);
        clock.advance(59_999);
        await assertHeld(leases, lease);
        clock.advance(1);
        await assertRefused(() => leases.verify(workspaceId, target, holderOf(lease)), 'lease_conflict');
        await assertRefused(() => leases.renew(workspaceId, target, holderOf(lease)), 'lease_conflict');
        await assertRefused(() => leases.release(workspaceId, target, holderOf(lease)), 'lease_conflict');
        assert.equal(await leases.current(workspaceId, target), null);
        assert.equal(await leases.find(lease.lease_id), null);
        assert.deepEqual(await leases.list(workspaceId), []);
      },
      clock,
    );
  });

  test('a late holder cannot touch its successor’s lease, even as the same principal', () => {
    const clock = fakeClock();
    return withStore(
      harness,
      async ({ leases }) => {
        const late = await leases.acquire({ ...request, ttlSeconds: 2 });
        clock.advance(5_000);
        const successor = await leases.acquire({ ...request, operation_id: 'op-2' });
        assert.notEqual(successor.lease_id, late.lease_id);
        await assertRefused(() => leases.renew(workspaceId, target, holderOf(late)), 'lease_conflict');
        await assertRefused(() => leases.verify(workspaceId, target, holderOf(late)), 'lease_conflict');
        await assertRefused(() => leases.release(workspaceId, target, holderOf(late)), 'lease_conflict');
        await assertHeld(leases, successor);
      },
      clock,
    );
  });

  test('list names the live leases of one workspace', () => {
    const clock = fakeClock();
    return withStore(
      harness,
      async ({ leases }) => {
        await leases.acquire({ ...request, target: 'short.md', ttlSeconds: 10 });
        const b = await leases.acquire({ ...request, target: 'b.md' });
        const a = await leases.acquire({ ...request, target: 'a.md' });
        await leases.acquire({ ...request, workspace_id: 'ws-other' });
        clock.advance(10_000);
        const listed = await leases.list(workspaceId);
        assert.deepEqual(
          [...listed].sort((one, other) => (one.target < other.target ? -1 : 1)),
          [a, b],
        );
      },
      clock,
    );
  });
};

const registerRaceTests = (harness: ContractHarness<'leases'>): void => {
  const { test, multiProcess } = harness;
  test('of many who ask for one target at once exactly one is granted', () =>
    withStore(harness, async ({ leases }) => {
      const contenders = Array.from({ length: 30 }, (_, index) => ({ ...request, principal_id: `user-${index}` }));
      const outcomes = await Promise.all(contenders.map(contender => outcomeOf(() => leases.acquire(contender))));
      assertOneWinner(outcomes, 'lease_conflict');
      assert.equal((await leases.current(workspaceId, target))?.principal_id, `user-${outcomes.indexOf('won')}`);
    }));

  if (isDurable(harness)) {
    test('leases outlive the store and end at the same instant', () => {
      const clock = fakeClock();
      return acrossReopen(
        harness,
        ({ leases }) => leases.acquire(request),
        async ({ leases }, lease) => {
          await assertHeld(leases, lease);
          await assertRefused(() => leases.acquire(rival), 'lease_conflict');
          clock.advance(60_000);
          await leases.acquire(rival);
        },
        clock,
      );
    });

    test('two openings of one store see each other’s leases', () =>
      withTwoOpenings(harness, async (one, other) => {
        const lease = await one.leases.acquire(request);
        await assertHeld(other.leases, lease);
        await assertRefused(() => other.leases.acquire(rival), 'lease_conflict');
        await other.leases.release(workspaceId, target, holderOf(lease));
        await one.leases.acquire(rival);
      }));
  }

  if (multiProcess !== undefined) {
    test('of eight processes that ask for one target exactly one is granted', () =>
      withStore(
        harness,
        async opened => {
          const store = sentStore(multiProcess, locationOf(opened));
          const outcomes = await raceTasks<string>(
            Array.from({ length: 8 }, (_, index) => ({
              module: compiledModule('contract-tasks'),
              task: 'acquireOnce',
              argument: { store, target, principalId: `user-${index}` } satisfies AcquireTask,
            })),
          );
          assertOneWinner(outcomes, 'lease_conflict');
          assert.equal((await opened.leases.current(workspaceId, target))?.principal_id, `user-${outcomes.indexOf('won')}`);
        },
        // The children read the system's clock, so this side must too.
        systemClock,
      ));
  }
};

/**
 * Registers the tests of the lease store contract (§7). The harness must hand `clock` to the store: expiry is tested by moving it. `reopen` adds
 * durability and two openings at once, `multiProcess` the race across processes.
 */
export const leaseStoreContract = (harness: ContractHarness<'leases'>): void => {
  harness.describe(`lease store contract: ${harness.name}`, () => {
    registerTermTests(harness);
    registerHolderTests(harness);
    registerExpiryTests(harness);
    registerRaceTests(harness);
  });
};
