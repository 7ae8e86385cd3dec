import { type Caller, readPrincipalFile, type Vault } from '#api';
import { CliError, UsageError } from './cli-error.ts';
import type { GlobalOptions } from './command-context.ts';

/**
 * Who this command acts as: the person at the terminal, the registered principal that `--as` names, or whatever `--principal FILE` holds
 * (for trusted local callers and tests). Never taken from the environment.
 */
export const resolveCaller = async (vault: Vault, globals: GlobalOptions): Promise<Caller> => {
  const { as: id, principal: file, trustedCaller = false } = globals;
  if (id !== undefined && file !== undefined) throw new UsageError('--as and --principal exclude each other');
  if (trustedCaller && file === undefined) throw new UsageError('--trusted-caller belongs to --principal FILE');
  if (file !== undefined) return { principal: readPrincipalFile(file, { trusted: trustedCaller }) };
  if (id === undefined) return { principal: vault.localPrincipal() };
  const principal = await vault.principals.find(id, vault.workspaceId);
  if (principal === null) {
    throw new CliError(
      'unknown_principal',
      `'${id}' is not registered in this vault, or was revoked, or has expired: see \`sheaf principal ls\``,
    );
  }
  return { principal };
};
