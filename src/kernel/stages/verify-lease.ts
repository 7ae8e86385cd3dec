import { VaultError } from '#errors';
import { type Attempt, boundWorkspace, type Stage } from '../attempt.ts';
import { refuseUnexpectedVersion, unchangedResponse } from '../expected-version.ts';
import { keepingRefusals } from '../refusals.ts';

/**
 * Stage 6 — a presented lease is verified, and a required one must be presented (§7). Then, still before anything is prepared, the expected
 * version and the operation that changes nothing (§6.4).
 */
export const verifyLease: Stage = async attempt => {
  await refuseWithoutLease(attempt);
  refuseUnexpectedVersion(attempt);
  return unchangedResponse(attempt);
};

/** Asked again under the commit lock: a lease that ran out meanwhile writes nothing. */
export async function refuseWithoutLease(attempt: Attempt): Promise<void> {
  const { envelope, principal, context } = attempt;
  const { path, lease_id, operation_id } = envelope;
  const workspace = boundWorkspace(attempt);
  await refuseLostFence(attempt);
  const conflict = (message: string): VaultError<'lease_conflict'> => new VaultError('lease_conflict', { path }, message);
  if (lease_id === undefined) {
    if (context.fence?.target !== path && (await leaseRequired(attempt)))
      throw conflict(`Writing '${path}' needs a lease: acquire one, and send its lease_id with the operation_id it was acquired with.`);
    return;
  }
  const { leases } = workspace.adapters;
  if (leases === undefined) throw conflict(`This workspace keeps no leases, so the lease on '${path}' cannot be verified.`);
  if (operation_id === undefined)
    throw conflict(`The lease on '${path}' is bound to the operation_id it was acquired with; send that too.`);
  const holder = { lease_id, principal_id: principal.id, operation_id };
  await keepingRefusals('The lease store cannot be read', () => leases.verify(workspace.id, path, holder));
}

/** The host's own claim on the work that the envelope belongs to; asked again before the commit, for events too. */
export async function refuseLostFence(attempt: Attempt): Promise<void> {
  const { fence } = attempt.context;
  if (fence === undefined) return;
  const { target, ...holder } = fence;
  const { id, adapters } = boundWorkspace(attempt);
  const { leases } = adapters;
  if (leases === undefined)
    throw new VaultError('lease_conflict', { path: target }, `This workspace keeps no leases, so '${target}' is claimed by nobody.`);
  await keepingRefusals('The lease store cannot be read', () => leases.verify(id, target, holder));
}

/** An event writes no document, so it needs no claim on one. */
async function leaseRequired(attempt: Attempt): Promise<boolean> {
  const { envelope, change } = attempt;
  if (envelope.type === 'event') return false;
  if (change.definition?.lease_required === true) return true;
  const { adapters } = boundWorkspace(attempt);
  return keepingRefusals('The lease policy failed', async () => adapters.leaseRequired?.(envelope.path) ?? false);
}
