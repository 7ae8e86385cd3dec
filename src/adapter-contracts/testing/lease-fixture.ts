import assert from 'node:assert/strict';
import type { Lease, LeaseHolder, LeaseStore } from '#adapter-contracts';

export const workspaceId = 'ws-acme';
export const target = 'tasks/t1/TASK.md';
export const request = { workspace_id: workspaceId, target, principal_id: 'user-1', operation_id: 'op-1' };
export const rival = { workspace_id: workspaceId, target, principal_id: 'user-2', operation_id: 'op-2' };

export const holderOf = ({ lease_id, principal_id, operation_id }: Lease): LeaseHolder => ({ lease_id, principal_id, operation_id });

/** Every holder that has two of the three ids right (L3). */
export const impostorsOf = (lease: Lease): readonly LeaseHolder[] => [
  { ...holderOf(lease), lease_id: 'another-lease' },
  { ...holderOf(lease), principal_id: 'user-2' },
  { ...holderOf(lease), operation_id: 'op-2' },
];

export const assertHeld = async (leases: LeaseStore, lease: Lease): Promise<void> => {
  assert.deepEqual(await leases.verify(lease.workspace_id, lease.target, holderOf(lease)), lease);
  assert.deepEqual(await leases.current(lease.workspace_id, lease.target), lease);
  assert.deepEqual(await leases.find(lease.lease_id), lease);
};
