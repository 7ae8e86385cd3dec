import assert from 'node:assert/strict';
import { type ContractHarness, withStore } from './contract-harness.ts';
import { assertHeld, holderOf, impostorsOf, request, rival, target, workspaceId } from './lease-fixture.ts';
import { registerLeaseLifeTests } from './lease-life-contract.ts';
import { opaqueStrings } from './opaque-strings.ts';
import { assertRefused } from './refusal.ts';

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

/**
 * Registers the tests of the lease store contract (§7). The harness must hand `clock` to the store: expiry is tested by moving it. `reopen` adds
 * durability and two openings at once, `multiProcess` the race across processes.
 */
export const leaseStoreContract = (harness: ContractHarness<'leases'>): void => {
  harness.describe(`lease store contract: ${harness.name}`, () => {
    registerTermTests(harness);
    registerHolderTests(harness);
    registerLeaseLifeTests(harness);
  });
};
