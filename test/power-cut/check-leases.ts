import { holdsLease } from '#adapter-contracts';
import { fail } from './check-vault.ts';
import type { History } from './history.ts';
import { type OpenedVault, workspaceId } from './opened-vault.ts';

/**
 * Leases are coordination and may be lost with the power (§7: unleased writes are still safe), but never is one invented, or a target held by two; and
 * whoever lost one is told so.
 */
export const checkLeases = async ({ store: { leases } }: OpenedVault, history: History, now: Date, nothingLost: boolean): Promise<void> => {
  const live = await leases.list(workspaceId);
  if (new Set(live.map(({ target }) => target)).size !== live.length) fail('two leases live on one target');
  for (const lease of live) {
    const wanted = history.leases.some(
      ({ target, principalId, operationId }) =>
        target === lease.target && principalId === lease.principal_id && operationId === lease.operation_id,
    );
    if (!wanted) fail(`nobody asked for the lease ${lease.lease_id}`);
  }
  for (const { lease, changed } of history.leases) {
    if (lease === null || Date.parse(lease.expires_at) <= now.getTime()) continue;
    const held = live.some(each => holdsLease(each, lease));
    if (nothingLost && !changed && !held) fail(`the lease ${lease.lease_id} was granted and is gone`);
    const verified = await leases.verify(workspaceId, lease.target, lease).then(
      () => true,
      () => false,
    );
    if (verified !== held) fail(`the lease ${lease.lease_id} is ${held ? 'live and refused' : 'gone and honoured'}`);
  }
};
