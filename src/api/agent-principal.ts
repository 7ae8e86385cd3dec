import type { Principal } from '#adapter-contracts';
import { capabilityCovers } from '#policy';
import type { Definition, Registry } from '#registry';
import { governedTypes } from './governed-types.ts';
import type { Vault } from './vault.ts';

const writtenTypes = ['ssss:memory', 'ssss:task', 'ssss:run', 'ssss:thread', 'ssss:page'] as const;
const writes = ['create', 'replace', 'patch', 'append', 'delete'] as const;

/** What an agent may do that a person started beside their editor and never registered: read structural types, write its own work (security §5). */
export const localAgentCapabilities = (registry: Registry): readonly string[] => [
  ...registry.documentTypes
    .filter(definition => definition.portability === 'structural')
    .flatMap(definition => capabilitiesOf(definition, ['read'])),
  ...writtenTypes.flatMap(type => capabilitiesOf(registry.resolve(type), writes)),
  'write:event',
];

/** Capabilities an agent at standard input never holds, however much its principal was granted. */
const withheldScopes = ['admin', 'govern'] as const;
const withheld = ['app:approve', 'app:manage'] as const;
/** What a broad grant such as `*:*` still gives it, beside the types. */
const ordinary = ['write:event', 'read:event', 'search:private', 'run:workflow', 'run:task', 'app:use', 'app:chat'] as const;

/**
 * The grants without those that no agent at standard input holds: `*:*`, roles, models, types, principals, settings, approvals (security §5).
 * A broad grant is replaced by what it covers of the rest; governed documents may still be read.
 */
export const withoutGovernance = (granted: readonly string[], registry: Registry): readonly string[] => {
  const governs = registry.documentTypes.filter(({ qualified }) => governedTypes.has(qualified));
  const forbidden = [
    ...governs.flatMap(definition => capabilitiesOf(definition, writes)),
    ...withheldScopes.map(scope => `${scope}:any`),
    ...withheld,
  ];
  const allowed = [
    ...ordinary,
    'ssss:index:*',
    'ssss:markdown:read',
    ...registry.documentTypes.flatMap(definition =>
      governedTypes.has(definition.qualified)
        ? capabilitiesOf(definition, ['read'])
        : [`${definition.qualified}:*`, ...Object.values(definition.capabilities).flat()],
    ),
  ];
  const isWithheld = (grant: string): boolean =>
    forbidden.some(capability => capabilityCovers(grant, capability)) || withheldScopes.some(scope => grant.startsWith(`${scope}:`));
  return [
    ...new Set(granted.flatMap(grant => (isWithheld(grant) ? allowed.filter(capability => capabilityCovers(grant, capability)) : [grant]))),
  ];
};

const capabilitiesOf = (definition: Definition | null, actions: readonly string[]): readonly string[] =>
  definition === null ? [] : actions.flatMap(action => definition.capabilities[action] ?? [`${definition.qualified}:${action}`]);

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
