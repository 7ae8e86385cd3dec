import type { FastifyRequest } from 'fastify';
import { invalidMember } from '#errors';

/** What a request says beside its envelope: the version the writer read, and what led to the change. */
export interface EnvelopeConditions {
  readonly if_match?: string | null;
  readonly correlation_id?: string;
  readonly causation_id?: string;
}

/**
 * Reads `If-Match: "<hash>"`, `If-None-Match: *`, `Sheaf-Correlation-Id` and `Sheaf-Causation-Id`. A condition that cannot be read throws
 * `invalid_request`: a write whose condition is dropped is the very accident that conditions prevent.
 */
export const envelopeConditions = ({ headers }: FastifyRequest): EnvelopeConditions => {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined && noneMatch !== undefined) throw invalidMember('if-match', 'If-Match and If-None-Match exclude each other.');
  if (noneMatch !== undefined && noneMatch.trim() !== '*')
    throw invalidMember('if-none-match', 'On a write only `If-None-Match: *` has a meaning: the document must not exist.');
  return {
    ...(match === undefined ? {} : { if_match: hashOf(match) }),
    ...(noneMatch === undefined ? {} : { if_match: null }),
    ...textMember('correlation_id', headers['sheaf-correlation-id']),
    ...textMember('causation_id', headers['sheaf-causation-id']),
  };
};

const hashOf = (header: string): string => {
  const hash = /^\s*"(sha256:[0-9a-f]{64})"\s*$/.exec(header)?.[1];
  if (hash === undefined) throw invalidMember('if-match', 'Write one hash in quotes, as the ETag of the document gives it: "sha256:…".');
  return hash;
};

const textMember = <K extends string>(name: K, value: string | string[] | undefined): { readonly [P in K]?: string } => {
  if (value === undefined) return {};
  const [first] = [value].flat();
  if (first === undefined || first === '') throw invalidMember(name, 'Must be a non-empty string.');
  return { [name]: first } as { readonly [P in K]?: string };
};
