import { type Clock, type Principal, systemClock } from '#adapter-contracts';
import { type Authenticator, createAuthenticator } from './authenticator.ts';
import { type BrowserSessions, createBrowserSessions } from './browser-sessions.ts';
import { readOidcSettings } from './oidc-settings.ts';
import { createOidcVerifier } from './oidc-verifier.ts';
import type { PrincipalRegistry } from './principal-registry.ts';

/** Who may reach a server: what it needs to answer requests and to open pages. */
export interface ServerIdentity {
  readonly authenticator: Authenticator;
  readonly sessions: BrowserSessions;
}

/**
 * Everything a server of one vault knows about identity: its registered principals, the sessions of its person's pages, and the identity provider
 * that `oidc.json` in the machine state names. Throws when that file is there and cannot be read: a team must not be locked out in silence.
 *
 * @example openServerIdentity({ ...vault, person: vault.localPrincipal(), stateDir: vaultStateDir(vault.root) });
 */
export const openServerIdentity = (options: {
  readonly workspaceId: string;
  readonly principals: PrincipalRegistry;
  /** Whom the pages act as: the person whose machine this is. */
  readonly person: Principal;
  /** Where `oidc.json` may be; null for a vault in memory. */
  readonly stateDir: string | null;
  readonly clock?: Clock;
}): ServerIdentity => {
  const { workspaceId, principals, person, stateDir, clock = systemClock } = options;
  const sessions = createBrowserSessions({ person, clock });
  const settings = stateDir === null ? null : readOidcSettings(stateDir);
  const oidc = settings === null ? undefined : createOidcVerifier({ settings, workspaceId, expandRoles: principals.expandRoles, clock });
  const authenticator = createAuthenticator({ registry: principals, workspaceId, sessions, ...(oidc === undefined ? {} : { oidc }) });
  return { authenticator, sessions };
};
