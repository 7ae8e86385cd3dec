import type { Principal } from '#adapter-contracts';
import { VaultError } from '#errors';
import { completePrincipal } from '#kernel';
import { isInteractive, isRemote, missingCapabilities } from '#policy';
import type { Registry } from '#registry';
import type { Vault } from './vault.ts';

/** Who makes a call, as the host authenticated them; never taken from the call's input. */
export interface Caller {
  readonly principal: unknown;
  /** The request hash a person confirmed (readings: confirmation). */
  readonly confirmation?: string;
}

/** Stands for every Markdown file whose type is unknown or missing. */
const markdownType = 'ssss:markdown';

/** The caller's complete principal, scoped to the vault's workspace (§6.6). Throws `unauthorized` or `forbidden`. */
export const callerPrincipal = (vault: Vault, caller: Caller): Principal => {
  const principal = completePrincipal(caller.principal);
  if (principal.kind === 'system' || principal.workspaceIds.includes(vault.workspaceId)) return principal;
  throw new VaultError('forbidden', {}, `'${principal.id}' may not act in the workspace '${vault.workspaceId}'.`);
};

export const isGranted = (principal: Principal, required: readonly string[]): boolean => lacking(principal, required).length === 0;

/** The required capabilities that the principal does not hold. */
export const lacking = (principal: Principal, required: readonly string[]): readonly string[] =>
  principal.kind === 'system' ? [] : missingCapabilities(principal.capabilities, required);

/** Throws `forbidden` naming what is missing. */
export const requireCapabilities = (principal: Principal, required: readonly string[], what: string): void => {
  const missing = lacking(principal, required);
  if (missing.length === 0) return;
  throw new VaultError('forbidden', { missing }, `'${principal.id}' may not ${what}: it lacks ${missing.join(', ')}.`);
};

/** The caller's principal, holding `capability`. */
export const authorizedCaller = (vault: Vault, caller: Caller, capability: string, what: string): Principal => {
  const principal = callerPrincipal(vault, caller);
  requireCapabilities(principal, [capability], what);
  return principal;
};

/**
 * Throws `forbidden` unless a person is calling, and is there when they call through a server: what changes the rules for everyone is not decided by
 * an agent, whatever it was granted, nor by whoever holds a person's stored token (readings: rights of a person).
 */
export const requirePerson = (principal: Principal, what: string): void => {
  if (principal.kind === 'human' && isRemote(principal) && !isInteractive(principal)) {
    const where = "at this machine's terminal, in the page that the server's one-time link opens, or signed in with a second factor";
    throw new VaultError(
      'forbidden',
      {},
      `Only a person who is there may ${what}: ${where}; '${principal.id}' came with a stored token or a weak sign-in.`,
    );
  }
  if (principal.kind === 'human' || principal.kind === 'system') return;
  throw new VaultError('forbidden', {}, `Only a person may ${what}; '${principal.id}' is of kind '${principal.kind}'.`);
};

/** Whether the principal may read files of this qualified type; null = of no known type. */
export const mayRead = (principal: Principal, registry: Registry, type: string | null): boolean =>
  isGranted(principal, readCapabilities(registry, type ?? markdownType));

/** Whether there is nothing in the vault that the principal may not read. */
export const mayReadEverything = (principal: Principal, registry: Registry): boolean =>
  [...registry.documentTypes.map(definition => definition.qualified), 'ssss:index', markdownType].every(type =>
    mayRead(principal, registry, type),
  );

/** The caller's principal, who may read the whole vault; what a survey of all files shows cannot be filtered without counting what is hidden. */
export const surveyingCaller = (vault: Vault, caller: Caller, what: string): Principal => {
  const principal = callerPrincipal(vault, caller);
  if (mayReadEverything(principal, vault.registry)) return principal;
  throw new VaultError('forbidden', {}, `'${principal.id}' may not ${what}: that needs the read capability of every type in the vault.`);
};

const readCapabilities = (registry: Registry, type: string): readonly string[] =>
  registry.resolve(type)?.capabilities.read ?? [`${type}:read`];
