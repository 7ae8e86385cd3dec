import type { Principal } from '#adapter-contracts';
import type { BrowserSessions } from './browser-sessions.ts';
import type { OidcVerifier } from './oidc-verifier.ts';
import type { PrincipalRegistry } from './principal-registry.ts';

/** Turns the bearer token of a request into the principal it stands for (§6.6). */
export interface Authenticator {
  /** The complete principal of a bearer token at this moment; null when unknown, expired or revoked. Never `system`. */
  authenticate(token: string): Promise<Principal | null>;
  /** Calls `ended` within a second of the token's revocation, expiry or session end. Returns how to stop watching. */
  watch(token: string, ended: () => void): () => void;
}

/** No token is longer: what is, is refused before it is hashed or parsed. */
const maxTokenLength = 8192;

/** Often enough that a revocation ends every stream within a second, also when one look takes its time. */
const lookEveryMs = 300;

/**
 * Asks, in this order and by the token's own form, the registered principals, the browser sessions and the identity provider. Whatever they
 * answer, nothing that a remote caller sends can stand for a `system` principal (§6.6).
 *
 * @example const principal = await authenticator.authenticate(token); // { id: 'agent:writer', … } or null
 */
export const createAuthenticator = (options: {
  readonly registry: PrincipalRegistry;
  readonly workspaceId: string;
  readonly sessions: BrowserSessions;
  readonly oidc?: OidcVerifier;
}): Authenticator => {
  const { registry, workspaceId, sessions, oidc } = options;
  const find = async (token: string, use: boolean): Promise<Principal | null> => {
    if (token === '' || token.length > maxTokenLength) return null;
    if (token.startsWith('sheaf_')) return registry.verifyToken(token, workspaceId);
    if (token.startsWith('sheafs_')) return sessions.principalOf(token, { use });
    return (await oidc?.verify(token)) ?? null;
  };
  const principal = async (token: string, use: boolean): Promise<Principal | null> => {
    const found = await find(token, use);
    return found === null || found.kind === 'system' ? null : found;
  };
  // Looking whether a stream may go on is no use of the session, or a forgotten page would keep it alive for ever.
  const watch = createTokenWatch(token => principal(token, false));
  return { authenticate: token => principal(token, true), watch };
};

/** One timer for all watched tokens, and one look per token however many streams it has. */
const createTokenWatch = (look: (token: string) => Promise<Principal | null>): Authenticator['watch'] => {
  const watched = new Map<string, Set<() => void>>();
  let looking = false;
  const lookAt = async (token: string): Promise<void> => {
    let alive = true;
    try {
      alive = (await look(token)) !== null;
    } catch {
      // Principals that cannot be read admit nobody new; whether this one was revoked is not known, and the next look may tell.
      return;
    }
    if (alive) return;
    const endings = watched.get(token) ?? new Set();
    watched.delete(token);
    for (const ended of endings) ended();
  };
  const lookAtAll = async (): Promise<void> => {
    await Promise.all([...watched.keys()].map(lookAt));
    looking = false;
    lookLater();
  };
  const lookLater = (): void => {
    if (looking || watched.size === 0) return;
    looking = true;
    setTimeout(() => void lookAtAll(), lookEveryMs).unref();
  };
  return (token, ended) => {
    // Each watcher is its own, also when two pass the same function.
    const own = (): void => ended();
    const endings = watched.get(token) ?? new Set();
    watched.set(token, endings.add(own));
    lookLater();
    return () => {
      endings.delete(own);
      if (endings.size === 0 && watched.get(token) === endings) watched.delete(token);
    };
  };
};
