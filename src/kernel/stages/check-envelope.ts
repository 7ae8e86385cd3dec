import { isWellFormed } from '#document';
import { type FieldIssue, isVaultError, reasonOf } from '#errors';
import type { Attempt, Stage } from '../attempt.ts';
import { type Envelope, readEnvelope } from '../envelope.ts';
import { readCaller } from '../read-caller.ts';
import { invalidRequest } from '../refusals.ts';
import { requestHash } from '../request-hash.ts';

/** Stage 1 — envelope, then identity (§6.3). Reads nothing, so that a caller without a principal learns nothing about the vault. */
export const checkEnvelope: Stage = async attempt => {
  const { kernel, input, context } = attempt;
  attempt.envelope = readWhole(input);
  attempt.caller = readCaller(context.principal, input, kernel.convertRole !== null);
  refuseContext(attempt);
  attempt.requestHash = requestHash(attempt.envelope, attempt.caller.id);
  attempt.workspace = kernel.workspaces.get(attempt.envelope.workspace_id) ?? null;
  return undefined;
};

/** Only JSON is sure to be readable; a getter that throws is the sender's mistake too. */
function readWhole(input: unknown): Envelope {
  try {
    return readEnvelope(input);
  } catch (error) {
    if (isVaultError(error)) throw error;
    throw invalidRequest({ field: 'envelope', issue: `Cannot be read: ${reasonOf(error)}` });
  }
}

/** What came beside the envelope, often straight from a header: it is recorded or relied on, so it must mean something. */
function refuseContext({ envelope, context }: Attempt): void {
  const { ifMatch, correlationId, causationId } = context;
  const issues: FieldIssue[] = [];
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '' && isWellFormed(value);
  if (correlationId !== undefined && !isText(correlationId)) issues.push({ field: 'correlation_id', issue: 'Must be a non-empty string.' });
  if (causationId !== undefined && !isText(causationId)) issues.push({ field: 'causation_id', issue: 'Must be a non-empty string.' });
  if (ifMatch !== undefined && ifMatch !== null && !isText(ifMatch))
    issues.push({ field: 'if_match', issue: 'Must be a content hash, or null.' });
  // An event never touches a document; a guard that cannot hold must not look as if it did.
  if (ifMatch !== undefined && envelope.type === 'event')
    issues.push({ field: 'if_match', issue: 'An event has no document whose version could be expected; leave it out.' });
  if (issues.length > 0) throw invalidRequest(...issues);
}
