import assert from 'node:assert/strict';
import { systemClock } from '#adapter-contracts';
import { compiledModule, raceTasks } from './child-task.ts';
import { acrossReopen, type ContractHarness, isDurable, locationOf, withStore, withTwoOpenings } from './contract-harness.ts';
import { type AcquireTask, sentStore } from './contract-tasks.ts';
import { fakeClock } from './fake-clock.ts';
import { assertHeld, holderOf, request, rival, target, workspaceId } from './lease-fixture.ts';
import { assertOneWinner, assertRefused, outcomeOf } from './refusal.ts';

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

/** Registers the tests of how leases end, outlive their store, and are fought over. */
export const registerLeaseLifeTests = (harness: ContractHarness<'leases'>): void => {
  registerExpiryTests(harness);
  registerRaceTests(harness);
};
