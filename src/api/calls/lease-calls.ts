import { z } from 'zod';
import type { Lease, LeaseHolder, Principal } from '#adapter-contracts';
import { checkDocumentPath, checkPath } from '#document';
import { VaultError } from '#errors';
import { requiredCapabilities } from '#policy';
import { defineCall } from '../call.ts';
import { callerPrincipal, isGranted, mayReadEverything, requireCapabilities } from '../read-rights.ts';
import type { Vault } from '../vault.ts';

/** More live claims than any one worker needs; a principal that gathers them all would stop everybody else. */
const maxLivePerPrincipal = 50;

const leaseShape = z.object({
  lease_id: z.string(),
  workspace_id: z.string(),
  target: z.string(),
  principal_id: z.string(),
  operation_id: z.string(),
  issued_at: z.string(),
  expires_at: z.string(),
});
const ttlShape = z.number().optional();

export const acquireLease = defineCall({
  name: 'lease.acquire',
  summary: 'Claim one path for one unit of work; needs the right to write it.',
  input: z.strictObject({ target: z.string().min(1), operation_id: z.string().min(1), ttl_seconds: ttlShape }),
  output: leaseShape,
  handler: async (vault, caller, input) => {
    const principal = callerPrincipal(vault, caller);
    const { target } = input;
    await requireWriteRight(vault, principal, target);
    const lease = await vault.leases.acquire({
      workspace_id: vault.workspaceId,
      target,
      principal_id: principal.id,
      operation_id: input.operation_id,
      ...(input.ttl_seconds === undefined ? {} : { ttlSeconds: input.ttl_seconds }),
    });
    // Counted afterwards: two processes that count first could both pass the limit.
    const own = await ownLeases(vault, principal);
    if (own.length <= maxLivePerPrincipal) return lease;
    await vault.leases.release(vault.workspaceId, target, holderOf(lease));
    throw new VaultError(
      'lease_conflict',
      { path: target },
      `'${principal.id}' holds ${maxLivePerPrincipal} live leases already: release one, or let it expire.`,
    );
  },
});

/** What a patch of the target needs; where there is nothing yet, what creating some type of document needs. */
const requireWriteRight = async (vault: Vault, principal: Principal, target: string): Promise<void> => {
  const problem = checkPath(target) ?? checkDocumentPath(target, { creating: false });
  if (problem !== null)
    throw new VaultError('invalid_request', { issues: [{ field: 'target', issue: problem }] }, `'${target}': ${problem}`);
  const document = await vault.read(target);
  if (document?.type != null) {
    requireCapabilities(
      principal,
      requiredCapabilities(vault.registry.resolve(document.type), document.type, 'patch'),
      `lease '${target}'`,
    );
    return;
  }
  const mayCreate = vault.registry.documentTypes.some(definition =>
    isGranted(principal, requiredCapabilities(definition, definition.qualified, 'create')),
  );
  if (!mayCreate)
    throw new VaultError('forbidden', {}, `'${principal.id}' may not lease '${target}': it may not create a document of any type.`);
};

const ownLeases = async (vault: Vault, principal: Principal): Promise<readonly Lease[]> =>
  (await vault.leases.list(vault.workspaceId)).filter(lease => lease.principal_id === principal.id);

const holderOf = ({ lease_id, principal_id, operation_id }: Lease): LeaseHolder => ({ lease_id, principal_id, operation_id });

const heldInput = { lease_id: z.string().min(1), operation_id: z.string().min(1) };

/** The lease's target, and the caller as its holder; the store decides whether they match (§7). */
const claim = async (vault: Vault, principal: Principal, input: { readonly lease_id: string; readonly operation_id: string }) => {
  const lease = await vault.leases.find(input.lease_id);
  if (lease === null || lease.workspace_id !== vault.workspaceId) {
    throw new VaultError(
      'lease_conflict',
      { path: input.lease_id },
      `No live lease '${input.lease_id}': it expired or was released. Acquire it again.`,
    );
  }
  return { target: lease.target, holder: { ...input, principal_id: principal.id } };
};

export const renewLease = defineCall({
  name: 'lease.renew',
  summary: 'Extend a lease that the caller holds.',
  input: z.strictObject({ ...heldInput, ttl_seconds: ttlShape }),
  output: leaseShape,
  handler: async (vault, caller, { ttl_seconds, ...input }) => {
    const { target, holder } = await claim(vault, callerPrincipal(vault, caller), input);
    return vault.leases.renew(vault.workspaceId, target, holder, ttl_seconds);
  },
});

export const releaseLease = defineCall({
  name: 'lease.release',
  summary: 'Give up a lease that the caller holds.',
  input: z.strictObject(heldInput),
  output: z.object({ lease_id: z.string(), target: z.string(), released: z.literal(true) }),
  handler: async (vault, caller, input) => {
    const { target, holder } = await claim(vault, callerPrincipal(vault, caller), input);
    await vault.leases.release(vault.workspaceId, target, holder);
    return { lease_id: input.lease_id, target, released: true as const };
  },
});

export const listLeases = defineCall({
  name: 'lease.list',
  summary: "The caller's live leases; all of them for a caller who may read the whole vault.",
  input: z.strictObject({}),
  output: z.object({ leases: z.array(leaseShape).readonly() }),
  handler: async (vault, caller) => {
    const principal = callerPrincipal(vault, caller);
    if (!mayReadEverything(principal, vault.registry)) return { leases: await ownLeases(vault, principal) };
    return { leases: await vault.leases.list(vault.workspaceId) };
  },
});
