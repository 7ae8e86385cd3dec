import type { Principal } from '#adapter-contracts';

/** Turns a token of the team's identity provider into a principal (§6.6). */
export interface OidcVerifier {
  /**
   * The principal that a signed token stands for; null when it is malformed, not from the configured issuer, not for this audience, expired, or
   * signed by no known key. Throws when the provider's keys cannot be fetched: then nobody can say.
   */
  verify(token: string): Promise<Principal | null>;
}
