import {
  type Caller,
  localAgentPrincipal,
  namedAgentPrincipal,
  type Principal,
  readPrincipalFile,
  type Vault,
  withoutGovernance,
} from '#api';
import { resolveCaller } from '../caller.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { GlobalOptions } from '../command-context.ts';

type AgentCaller = (clientName: string | null) => Promise<Caller>;

/**
 * Who the calls of `sheaf mcp` are made by (mcp: who acts): `agent:<client>` with the rights of a local agent; with `--as` a registered principal, or
 * a name for the local agent. Asked anew for every call, so that a revocation counts at once. Governance is withheld however much was granted.
 */
export const agentCaller = async (vault: Vault, globals: GlobalOptions): Promise<AgentCaller> => {
  const { as: id, principal: file, trustedCaller = false } = globals;
  // Refuses what excludes each other.
  if (file !== undefined) {
    await resolveCaller(vault, globals);
    const given = readPrincipalFile(file, { trusted: trustedCaller });
    const principal = trustedCaller ? given : narrowed(vault, given);
    return async () => ({ principal });
  }
  if (trustedCaller) throw new UsageError('--trusted-caller belongs to --principal FILE');
  if (id === undefined) return async clientName => ({ principal: await localAgentPrincipal(vault, clientName) });
  if ((await vault.principals.list()).some(known => known.id === id)) return registeredCaller(vault, globals, id);
  if (!id.startsWith('agent:')) {
    throw new CliError(
      'unknown_principal',
      `'${id}' is not registered in this vault; a name of your own for a local agent begins with 'agent:'`,
    );
  }
  return async () => ({ principal: await namedAgentPrincipal(vault, id) });
};

const registeredCaller = async (vault: Vault, globals: GlobalOptions, id: string): Promise<AgentCaller> => {
  const { principal } = await resolveCaller(vault, globals);
  refusePerson(principal);
  return async () => {
    const now = await vault.principals.find(id, vault.workspaceId);
    // Named at a terminal, but an agent is behind it: the log and the policy are to see that.
    return { principal: narrowed(vault, now && { ...now, authentication: { ...now.authentication, provider: 'mcp-stdio' } }) };
  };
};

const narrowed = (vault: Vault, given: unknown): unknown => {
  const { capabilities } = (given ?? {}) as Partial<Principal>;
  if (!Array.isArray(capabilities)) return given;
  refusePerson(given);
  return { ...(given as Principal), capabilities: withoutGovernance(capabilities, vault.registry) };
};

/** What an agent does must not stand in the log under the name of a person, nor count as one's decision. */
const refusePerson = (given: unknown): void => {
  const { kind, id } = (given ?? {}) as Partial<Principal>;
  if (kind !== 'human') return;
  throw new UsageError(
    `'${String(id)}' is a person, and no agent acts under a person's name: register one with \`sheaf principal add agent:NAME --kind agent --cap …\``,
  );
};
