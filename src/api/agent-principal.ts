import type { Principal } from '#adapter-contracts';
import { capabilityCovers, structuralReads } from '#policy';
import type { Registry } from '#registry';
import { governedTypes } from './governed-types.ts';
import type { Vault } from './vault.ts';

const writtenTypes = ['ssss:memory', 'ssss:task', 'ssss:run', 'ssss:thread', 'ssss:page'] as const;
const writes = ['create', 'replace', 'patch', 'append', 'delete'] as const;

/** What an agent may do that a person started beside their editor and never registered: read structural types, write its own work (mcp: who acts). */
const localAgentCapabilities = (registry: Registry): readonly string[] => [
  ...structuralReads(registry),
  ...writtenTypes.flatMap(type => writesOf(type)),
  'write:event',
];

const writesOf = (type: string): readonly string[] => writes.map(action => `${type}:${action}`);

/** Capabilities an agent at standard input never holds, however much its principal was granted. */
const withheldScopes = ['admin', 'govern'] as const;
const withheld = ['app:approve', 'app:manage'] as const;
/** What a broad grant such as `*:*` still gives it, beside the types. */
const ordinary = ['write:event', 'read:event', 'search:private', 'run:workflow', 'run:task', 'app:use', 'app:chat'] as const;

/**
 * The grants without those that no agent at standard input holds: `*:*`, roles, models, types, principals, settings, approvals (mcp: who acts).
 * A broad grant is replaced by what it covers of the rest; governed documents may still be read.
 */
export const withoutGovernance = (granted: readonly string[], registry: Registry): readonly string[] => {
  const isWithheld = (grant: string): boolean =>
    [...[...governedTypes].flatMap(writesOf), ...withheldScopes.map(scope => `${scope}:any`), ...withheld].some(capability =>
      capabilityCovers(grant, capability),
    ) || withheldScopes.some(scope => grant.startsWith(`${scope}:`));
  const rest = [
    ...ordinary,
    'ssss:index:*',
    'ssss:markdown:read',
    ...registry.documentTypes.flatMap(({ qualified, capabilities }) =>
      // What a type asks for in words of its own may be anything, `*:*` included.
      governedTypes.has(qualified) ? [`${qualified}:read`] : [`${qualified}:*`, ...Object.values(capabilities).flat()],
    ),
  ].filter(capability => !isWithheld(capability));
  return [
    ...new Set(granted.flatMap(grant => (isWithheld(grant) ? rest.filter(capability => capabilityCovers(grant, capability)) : [grant]))),
  ];
};

/** The capabilities that both lists grant. */
const inBoth = (left: readonly string[], right: readonly string[]): readonly string[] => [
  ...new Set([
    ...left.filter(one => right.some(other => capabilityCovers(other, one))),
    ...right.filter(one => left.some(other => capabilityCovers(other, one))),
  ]),
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
  return { ...base, capabilities: inBoth(capabilities, registered.capabilities) };
};
