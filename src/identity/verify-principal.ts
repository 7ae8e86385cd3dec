import type { Principal, PrincipalKind } from '#adapter-contracts';
import { VaultError } from '#errors';

const kinds: readonly PrincipalKind[] = ['human', 'agent', 'service', 'system'];

/**
 * The principal of a call that does not pass through the kernel, such as a read (§6.6): complete, and scoped to the workspace.
 * Throws `unauthorized` when it is missing or malformed, `forbidden` when it does not list the workspace; there is no anonymous caller.
 */
export const verifyPrincipal = (value: unknown, workspaceId: string): Principal => {
  if (!isPrincipal(value)) {
    throw new VaultError(
      'unauthorized',
      {},
      'No verified principal with id, kind, workspaceIds, capabilities and authentication is attached to this call.',
    );
  }
  if (value.kind !== 'system' && !value.workspaceIds.includes(workspaceId)) {
    throw new VaultError('forbidden', {}, `Principal '${value.id}' does not list workspace '${workspaceId}' in its workspaceIds.`);
  }
  return value;
};

const isPrincipal = (value: unknown): value is Principal => {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind, workspaceIds, capabilities, authentication } = value as Record<keyof Principal, unknown>;
  return (
    isFilled(id) &&
    kinds.includes(kind as PrincipalKind) &&
    isStrings(workspaceIds) &&
    isStrings(capabilities) &&
    typeof authentication === 'object' &&
    authentication !== null &&
    isFilled((authentication as Record<string, unknown>).provider)
  );
};

const isFilled = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every(entry => typeof entry === 'string');
