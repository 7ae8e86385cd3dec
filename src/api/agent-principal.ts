import type { Principal } from '#adapter-contracts';
import { capabilitiesInBoth, structuralReads, writesOf } from '#policy';
import type { Registry } from '#registry';
import type { Vault } from './vault.ts';

const writtenTypes = ['ssss:memory', 'ssss:task', 'ssss:run', 'ssss:thread', 'ssss:page'] as const;

/** What an agent may do that a person started beside their editor and never registered: read structural types, write its own work (mcp: who acts). */
const localAgentCapabilities = (registry: Registry): readonly string[] => [
  ...structuralReads(registry),
  ...writtenTypes.flatMap(type => writesOf(type)),
  'write:event',
];

/**
 * The principal of a client that speaks over standard input: `agent:<client>` with the rights of a local agent. A client chooses its name itself,
 * so a name that is registered gives it no more than that: the rights both have in common, and none (null) when the registered one was revoked or
 * has expired.
 */
export const localAgentPrincipal = async (vault: Vault, clientName: string | null): Promise<Principal | null> => {
  const id = `agent:${
    (clientName ?? '')
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 64) || 'unnamed'
  }`;
  return namedAgentPrincipal(vault, id);
};

/** The same under a name that the person who starts it chose. */
export const namedAgentPrincipal = async (vault: Vault, id: string): Promise<Principal | null> => {
  const capabilities = localAgentCapabilities(vault.registry);
  const base = {
    id,
    kind: 'agent',
    workspaceIds: [vault.workspaceId],
    authentication: { provider: 'mcp-stdio', assurance: 'none' },
  } as const;
  const known = (await vault.principals.list()).some(principal => principal.id === id);
  if (!known) return { ...base, capabilities };
  const registered = await vault.principals.find(id, vault.workspaceId);
  if (registered === null) return null;
  return { ...base, capabilities: capabilitiesInBoth(capabilities, registered.capabilities) };
};
