import { randomUUID } from 'node:crypto';
import { canonicalJson, hashContent } from '#document';

/** Where a key came from decides what the reply says about it. */
export interface CallKey {
  readonly key: string;
  readonly origin: 'given' | 'derived' | 'random';
}

/** Members that say how a request is made, not what it asks for; as in the request hash (§6.4) a retry may change them. */
const asides = ['idempotency_key', 'dry_run', 'intent', 'lease_id', 'operation_id', 'correlation_id', 'causation_id'];

/**
 * The idempotency key of a writing tool call (mcp: idempotency keys): the caller's own; else, when the call says which version it changes, one derived
 * from (principal, tool, arguments, base_hash), so that a client that repeats the call after a lost reply cannot apply it twice; else a random
 * one. Never one of the arguments alone: the same append twice is two appends.
 */
export const keyOfCall = (principalId: string, tool: string, input: Readonly<Record<string, unknown>>): CallKey => {
  const { idempotency_key: given, base_hash: baseHash } = input;
  if (typeof given === 'string') return { key: given, origin: 'given' };
  if (typeof baseHash !== 'string') return { key: `mcp-${randomUUID()}`, origin: 'random' };
  const asked = Object.fromEntries(Object.entries(input).filter(([name, value]) => !asides.includes(name) && value !== undefined));
  return { key: `mcp-${hashContent(canonicalJson([principalId, tool, asked, baseHash])).replace('sha256:', '')}`, origin: 'derived' };
};
