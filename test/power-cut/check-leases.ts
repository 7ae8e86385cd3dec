import { holdsLease, type Lease } from '#adapter-contracts';
import { isVaultError } from '#errors';
import { fail } from './check-vault.ts';
import type { History, LeaseAttempt } from './history.ts';
import { type OpenedVault, workspaceId } from './opened-vault.ts';

/**
 * Leases are coordination and may be lost with the power, but none is invented, no target is held by two, and whoever lost one is told so (§7).
 * Returns the ids of those that live.
 */
export const checkLeases = async (vault: OpenedVault, history: History, now: Date, nothingLost: boolean): Promise<ReadonlySet<string>> => {
  const { leases } = vault.store;
  const live = await leases.list(workspaceId);
  if (new Set(live.map(({ target }) => target)).size !== live.length) fail('two leases live on one target');
  for (const lease of live) if (!history.leases.some(asked => isFor(asked, lease))) fail(`nobody asked for the lease ${lease.lease_id}`);
  for (const { lease, changed } of history.leases) {
    if (lease === null || Date.parse(lease.expires_at) <= now.getTime()) continue;
    const held = live.some(each => holdsLease(each, lease));
    if (nothingLost && !changed && !held) fail(`the lease ${lease.lease_id} was granted and is gone`);
    if ((await granted(leases.verify(workspaceId, lease.target, lease))) !== held)
      fail(`the lease ${lease.lease_id} is ${held ? 'live and refused' : 'gone and honoured'}`);
  }
  for (const target of new Set(history.leases.map(asked => asked.target))) await askAsStranger(vault, history, target, live);
  return new Set(live.map(({ lease_id }) => lease_id));
};

const isFor = (asked: LeaseAttempt, lease: Lease): boolean =>
  asked.target === lease.target && asked.principalId === lease.principal_id && asked.operationId === lease.operation_id;

/** Whoever has no lease gets one exactly when nobody has. */
const askAsStranger = async (
  { store: { leases } }: OpenedVault,
  history: History,
  target: string,
  live: readonly Lease[],
): Promise<void> => {
  const startedAt = history.tick();
  const asked: LeaseAttempt = {
    target,
    principalId: 'agent:stranger',
    operationId: `op-${startedAt}`,
    startedAt,
    lease: null,
    changed: true,
  };
  history.leases.push(asked);
  const holder = { principal_id: asked.principalId, operation_id: asked.operationId };
  const isFree = !live.some(lease => lease.target === target);
  const acquired = leases.acquire({ workspace_id: workspaceId, target, ...holder });
  if ((await granted(acquired)) !== isFree) fail(`a lease on ${target} was ${isFree ? 'refused though free' : 'granted twice'}`);
  if (isFree) await leases.release(workspaceId, target, { lease_id: (await acquired).lease_id, ...holder });
};

const granted = (answer: Promise<unknown>): Promise<boolean> =>
  answer.then(
    () => true,
    (error: unknown) => {
      if (isVaultError(error) && error.code === 'lease_conflict') return false;
      throw error;
    },
  );
