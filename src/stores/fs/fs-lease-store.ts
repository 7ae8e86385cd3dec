import { randomUUID } from 'node:crypto';
import {
  type Clock,
  holdsLease,
  isLiveLease,
  type Lease,
  type LeaseHolder,
  type LeaseStore,
  leaseExpiry,
  leaseNotHeld,
  leaseTaken,
  renewedLease,
} from '#adapter-contracts';
import type { SharedRow, SharedRows } from './shared-rows.ts';
import type { SharedRowsHandle } from './shared-rows-handle.ts';

/** Leases shared by every process on the vault. State that cannot be read is an error (§7, readings: when a lease is needed). */
export const createFsLeaseStore = (rows: SharedRowsHandle, clock: Clock): LeaseStore => {
  const live = (row: SharedRow | null): Lease | null => {
    const lease = row === null ? null : toLease(row);
    return lease !== null && isLiveLease(lease, clock.now()) ? lease : null;
  };
  const held = (table: SharedRows, workspaceId: string, target: string, holder: LeaseHolder): Lease => {
    const lease = live(table.get(workspaceId, target));
    if (lease === null || !holdsLease(lease, holder)) throw leaseNotHeld(target);
    return lease;
  };
  return {
    acquire: ({ workspace_id, target, principal_id, operation_id, ttlSeconds }) =>
      rows.use(table =>
        table.transact(() => {
          const now = clock.now();
          const expires_at = leaseExpiry(now, ttlSeconds).toISOString();
          table.expire(now.getTime());
          const other = live(table.get(workspace_id, target));
          if (other !== null) throw leaseTaken(other);
          const lease = {
            lease_id: randomUUID(),
            workspace_id,
            target,
            principal_id,
            operation_id,
            issued_at: now.toISOString(),
            expires_at,
          };
          table.put(toRow(lease));
          return lease;
        }),
      ),
    verify: (workspaceId, target, holder) => rows.use(table => held(table, workspaceId, target, holder)),
    current: (workspaceId, target) => rows.use(table => live(table.get(workspaceId, target))),
    find: leaseId => rows.use(table => (leaseId === '' ? null : live(table.findByTag(leaseId)))),
    renew: (workspaceId, target, holder, ttlSeconds) =>
      rows.use(table =>
        table.transact(() => {
          const lease = renewedLease(held(table, workspaceId, target, holder), clock.now(), ttlSeconds);
          table.put(toRow(lease));
          return lease;
        }),
      ),
    release: (workspaceId, target, holder) =>
      rows.use(table =>
        table.transact(() => {
          held(table, workspaceId, target, holder);
          table.delete(workspaceId, target);
        }),
      ),
    list: workspaceId => rows.use(table => table.list(workspaceId).flatMap(row => live(row) ?? [])),
  };
};

const toRow = (lease: Lease): SharedRow => ({
  scope: lease.workspace_id,
  key: lease.target,
  tag: lease.lease_id,
  expires: Date.parse(lease.expires_at),
  value: JSON.stringify(lease),
});

const fields = ['lease_id', 'workspace_id', 'target', 'principal_id', 'operation_id', 'issued_at', 'expires_at'] as const;

const toLease = ({ scope, key, value }: SharedRow): Lease => {
  const unreadable = (cause?: unknown): Error =>
    new Error(`The lease on '${key}' in .ssss/coordination cannot be read; remove the leases file there once no one works under a lease.`, {
      cause,
    });
  let lease: Lease;
  try {
    lease = JSON.parse(value) as Lease;
  } catch (cause) {
    throw unreadable(cause);
  }
  const whole = typeof lease === 'object' && lease !== null && fields.every(field => typeof lease[field] === 'string');
  if (!whole || lease.workspace_id !== scope || lease.target !== key || Number.isNaN(Date.parse(lease.expires_at))) throw unreadable();
  return lease;
};
