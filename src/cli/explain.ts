import { errorCodes } from '#errors';
import { workspaceErrorCodes } from '#open-vault';
import { cliErrorCodes } from './cli-error.ts';

/** What a person can do about each contract code. The compiler asks for a line when a code is added. */
const remedies = {
  invalid_request: 'Correct the request; the message names the member or the path rule.',
  unauthorized:
    'Name a complete principal: id, kind, workspaces, capabilities and an authentication provider. See `sheaf principal ls`. Over HTTP send a live token: `sheaf principal token ID` makes a new one.',
  forbidden: 'Ask for the capability that the message names, act as another principal with --as, or confirm with --confirm.',
  not_found: 'Check the path with `sheaf ls`; create the document with `sheaf write`.',
  lease_conflict: 'See `sheaf lease ls`; acquire a lease and pass it with --lease and --operation.',
  version_conflict:
    'Read the document again (`sheaf cat`, `sheaf status`) and repeat the change on what is there now. A hand edit is accepted with `sheaf adopt`.',
  idempotency_conflict: 'Use a new key for a new request; `sheaf log` shows what the key was used for.',
  validation_failed: 'Mend the fields that the message lists; `sheaf check PATH` shows them with their places.',
  internal_error: 'Run `sheaf doctor`: it says what is wrong with this machine or this vault. Then repeat the request under the same key.',
} as const satisfies Record<keyof typeof errorCodes, string>;

/** What is wrong with a set of registries (§5.6); the message names the files. */
const registryCodes = {
  registry_invalid: 'A registry or lock file cannot be read as one. Mend the named places.',
  registry_collision: 'Two registries claim one name. Rename the type or alias in one of them.',
  registry_requirement: 'An extension requires another that is missing or out of range. Install a matching one, or change `requires`.',
  registry_drift: 'The registry is not the one that the lock pins. Restore the files, or accept them with `sheaf registry lock`.',
  primitive_invalid: 'A `primitive` document cannot become a type. `sheaf primitive check PATH` lists why.',
} as const;

/** What a served vault answers to requests that never reach the contract (http: codes beyond the contract). */
const transportCodes = {
  route_not_found: 'The server has no such route. `/reference` on it lists them all.',
  method_not_allowed: 'The route takes other methods. The header Allow names them.',
  payload_too_large: 'The body or the headers are larger than the server takes. Send many envelopes to `/v1/envelopes/stream`.',
  unsupported_media_type: 'The body is not what the route takes. Send application/json, uncompressed; a stream as application/x-ndjson.',
  rate_limited: 'Too many requests came from one principal, or wrong tokens from one address. Wait as long as the header Retry-After says.',
  unavailable: 'The server is closing or cannot serve now. Send the same request again under the same key.',
} as const;

export interface Explanation {
  readonly code: string;
  readonly meaning: string;
  readonly remedy: string | null;
}

/** Every code that the command line can print in brackets or a server can answer, with its meaning. */
export const explanations: readonly Explanation[] = [
  ...(Object.keys(errorCodes) as (keyof typeof errorCodes)[]).map(code => ({ code, meaning: errorCodes[code], remedy: remedies[code] })),
  ...Object.entries({ ...workspaceErrorCodes, ...registryCodes, ...cliErrorCodes, ...transportCodes }).map(([code, meaning]) => ({
    code,
    meaning,
    remedy: null,
  })),
];
