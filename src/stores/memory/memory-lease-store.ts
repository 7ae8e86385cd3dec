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

/** The lease store of a memory workspace (§7). Each call decides and acts without a pause, so no other call can come between. */
export const createMemoryLeaseStore = (clock: Clock): LeaseStore => {
  const leases = new Map<string, Lease>();
  const slot = (workspaceId: string, target: string) => JSON.stringify([workspaceId, target]);
  const live = (name: string): Lease | null => {
    const lease = leases.get(name);
    if (lease === undefined) return null;
    if (isLiveLease(lease, clock.now())) return lease;
    leases.delete(name);
    return null;
  };
  const held = (workspaceId: string, target: string, holder: LeaseHolder): Lease => {
    const lease = live(slot(workspaceId, target));
    if (lease === null || !holdsLease(lease, holder)) throw leaseNotHeld(target);
    return lease;
  };
  const allLive = (): readonly Lease[] => [...leases.keys()].map(live).filter(lease => lease !== null);
  return {
    async acquire({ workspace_id, target, principal_id, operation_id, ttlSeconds }) {
      const now = clock.now();
      const expires_at = leaseExpiry(now, ttlSeconds).toISOString();
      const name = slot(workspace_id, target);
      const other = live(name);
      if (other !== null) throw leaseTaken(other);
      // Built field by field: what else a caller sends never becomes part of the record (L1).
      const issued_at = now.toISOString();
      const lease: Lease = Object.freeze({
        lease_id: randomUUID(),
        workspace_id,
        target,
        principal_id,
        operation_id,
        issued_at,
        expires_at,
      });
      leases.set(name, lease);
      return lease;
    },
    async verify(workspaceId, target, holder) {
      return held(workspaceId, target, holder);
    },
    async current(workspaceId, target) {
      return live(slot(workspaceId, target));
    },
    async find(leaseId) {
      return allLive().find(lease => lease.lease_id === leaseId) ?? null;
    },
    async renew(workspaceId, target, holder, ttlSeconds) {
      const lease = Object.freeze(renewedLease(held(workspaceId, target, holder), clock.now(), ttlSeconds));
      leases.set(slot(workspaceId, target), lease);
      return lease;
    },
    async release(workspaceId, target, holder) {
      held(workspaceId, target, holder);
      leases.delete(slot(workspaceId, target));
    },
    async list(workspaceId) {
      const own = allLive().filter(lease => lease.workspace_id === workspaceId);
      return own.sort((a, b) => (a.target < b.target ? -1 : 1));
    },
  };
};
