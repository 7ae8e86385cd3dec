import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { type Clock, type Principal, type PrincipalKind, systemClock } from '#adapter-contracts';
import type { OidcSettings } from './oidc-settings.ts';
import { hashToken } from './token.ts';

/** Turns a token of the team's identity provider into a principal (§6.6). */
export interface OidcVerifier {
  /**
   * The principal that a signed token stands for; null when it is malformed, not from the configured issuer, not for this audience, expired, or
   * signed by no known key. Throws when the provider's keys cannot be fetched: then nobody can say.
   */
  verify(token: string): Promise<Principal | null>;
}

/** A verified signature is believed so long without asking again; the token's own end is looked at every time. */
const believeMs = 60_000;
const mostBelieved = 2000;

/**
 * Verifies bearer tokens against the provider's published keys: signature, issuer, audience, lifetime within the clock skew. What a person may
 * do comes from this machine's settings alone: a claim grants what its value is mapped to, never a capability that stands in the token.
 */
export const createOidcVerifier = (options: {
  readonly settings: OidcSettings;
  readonly workspaceId: string;
  /** What the roles' documents grant now. */
  readonly expandRoles: (roles: readonly string[]) => Promise<readonly string[]>;
  readonly clock?: Clock;
}): OidcVerifier => {
  const { settings, workspaceId, expandRoles, clock = systemClock } = options;
  const keys = createRemoteJWKSet(new URL(settings.jwks_uri), { timeoutDuration: 5000, cooldownDuration: 5000 });
  const believed = new Map<string, { readonly claims: JWTPayload; readonly until: number }>();

  const claimsOf = async (token: string): Promise<JWTPayload | null> => {
    const hash = hashToken(token);
    const known = believed.get(hash);
    if (known !== undefined && known.until > clock.now().getTime()) return known.claims;
    believed.delete(hash);
    const claims = await verifiedClaims(token, keys, settings, clock);
    if (claims === null) return null;
    const now = clock.now().getTime();
    if (believed.size >= mostBelieved) believed.delete(believed.keys().next().value ?? '');
    const end = ((claims.exp ?? 0) + settings.clock_skew_seconds) * 1000;
    believed.set(hash, { claims, until: Math.min(now + believeMs, end) });
    return claims;
  };

  return {
    async verify(token) {
      // Three parts: anything else costs no cryptography.
      if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return null;
      const claims = await claimsOf(token);
      return claims === null ? null : principalOf(claims, settings, workspaceId, expandRoles);
    },
  };
};

const verifiedClaims = async (
  token: string,
  keys: ReturnType<typeof createRemoteJWKSet>,
  settings: OidcSettings,
  clock: Clock,
): Promise<JWTPayload | null> => {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: settings.issuer,
      audience: settings.audience,
      algorithms: [...settings.algorithms],
      clockTolerance: settings.clock_skew_seconds,
      currentDate: clock.now(),
      // A token without an end could never be taken back.
      requiredClaims: ['exp', settings.id_claim],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError && !isProviderFailure(error)) return null;
    throw new Error('the keys of the identity provider cannot be fetched', { cause: error });
  }
};

/** The provider did not answer, or answered no key set; that says nothing about the token. */
const isProviderFailure = (error: errors.JOSEError): boolean =>
  error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC';

const principalOf = async (
  claims: JWTPayload,
  settings: OidcSettings,
  workspaceId: string,
  expandRoles: (roles: readonly string[]) => Promise<readonly string[]>,
): Promise<Principal | null> => {
  const id = claims[settings.id_claim];
  const kind = kindOf(claims, settings);
  if (typeof id !== 'string' || id.length > 256 || /[\p{C}\s]/u.test(id) || id === '' || kind === null) return null;
  const { grants, everyone, strong } = settings;
  const values = grants === undefined ? [] : valuesOf(claims[grants.claim]);
  const granted = [everyone, ...values.flatMap(value => (grants && Object.hasOwn(grants.values, value) ? [grants.values[value]!] : []))];
  const fromRoles = await expandRoles([...new Set(granted.flatMap(grant => grant.roles))]);
  const isStrong = strong !== undefined && valuesOf(claims[strong.claim]).some(value => strong.values.includes(value));
  return {
    id: `oidc:${id}`,
    kind,
    workspaceIds: [workspaceId],
    capabilities: [...new Set([...granted.flatMap(grant => grant.capabilities), ...fromRoles])],
    authentication: { provider: 'oidc', assurance: isStrong ? 'strong' : 'verified' },
  };
};

/** What the token stands for. A claim that says something else, `system` above all, admits nobody. */
const kindOf = (claims: JWTPayload, { kind, kind_claim }: OidcSettings): PrincipalKind | null => {
  const said = kind_claim === undefined ? undefined : claims[kind_claim];
  if (said === undefined) return kind;
  return said === 'human' || said === 'agent' || said === 'service' ? said : null;
};

/** A claim's values: a list of texts, or one text with spaces between them. */
const valuesOf = (claim: unknown): readonly string[] => {
  if (typeof claim === 'string') return claim.split(' ').filter(value => value !== '');
  return Array.isArray(claim) ? claim.filter(value => typeof value === 'string') : [];
};
