import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { reasonOf } from '#errors';
import { isCapability, readJson } from '#registry';

const text = z.string().min(1);
const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
/** Keys fetched over a plain connection could be anybody's. */
const safeUrl = z.url().refine(value => {
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}, 'must be an https address (http only on this machine)');
/** Signatures that only the provider can make; with a shared secret whoever verifies could also sign. */
const algorithm = z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']);
const grant = z.strictObject({
  capabilities: z.array(z.string().refine(isCapability, 'must be capabilities such as ssss:memory:*')).default([]),
  roles: z.array(text).default([]),
});

const shape = z.strictObject({
  issuer: text,
  audience: text,
  jwks_uri: safeUrl,
  algorithms: z.array(algorithm).min(1).default(['RS256', 'ES256', 'EdDSA']),
  /** How far the clocks of provider and server may differ. */
  clock_skew_seconds: z.number().int().min(0).max(300).default(30),
  /** The claim whose value, behind `oidc:`, is the principal's id. */
  id_claim: text.default('sub'),
  /** What a token stands for unless `kind_claim` says `human`, `agent` or `service`. A program's token must not pass for a person's. */
  kind: z.enum(['human', 'agent', 'service']).default('service'),
  kind_claim: text.optional(),
  /** Which claim lists what the provider says about the person, and what each of its values grants here; others grant nothing. */
  grants: z.strictObject({ claim: text, values: z.record(text, grant) }).optional(),
  /** What everybody of this provider may do. */
  everyone: grant.default({ capabilities: [], roles: [] }),
  /** The claim (`acr`, `amr`) and its values that prove that a person was there and gave a second factor. */
  strong: z.strictObject({ claim: text, values: z.array(text).min(1) }).optional(),
});

/** How this machine reads the tokens of an identity provider; `oidc.json` in the machine state, outside the vault (readings: machine state). */
export type OidcSettings = z.infer<typeof shape>;

/** `oidc.json` cannot be read as the settings of an identity provider; a server must not start as if there were none. */
export class OidcSettingsError extends Error {
  override readonly name = 'OidcSettingsError';
}

/** Parses `oidc.json` strictly. Throws `OidcSettingsError` naming the first wrong place. */
export const parseOidcSettings = (json: string, file: string): OidcSettings => {
  let value: unknown;
  try {
    // Strict, as every file that grants something: `JSON.parse` keeps the last of two equal keys.
    value = readJson(json).value;
  } catch (error) {
    throw new OidcSettingsError(`${file} is not JSON: ${reasonOf(error)}`, { cause: error });
  }
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new OidcSettingsError(`${file}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not readable'}`);
};

/** The settings in a vault's machine state; null when no identity provider is configured. */
export const readOidcSettings = (stateDir: string): OidcSettings | null => {
  const file = join(stateDir, 'oidc.json');
  return existsSync(file) ? parseOidcSettings(readFileSync(file, 'utf8'), file) : null;
};
