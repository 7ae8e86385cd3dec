import { DuplicateKeyError } from '#adapter-contracts';
import { reasonOf, VaultError } from '#errors';
import { type Attempt, boundWorkspace } from './attempt.ts';
import type { SuccessResponse } from './kernel-response.ts';
import { replayOfKey } from './recorded-key.ts';
import { uncommittedResponse } from './respond.ts';

/**
 * A stale full replace is how people lose text, and stage 9 cannot see it, because stage 3 read the newer bytes. So the version the writer says
 * it read is compared here, and without one a replace or delete of a file that was changed outside the kernel is refused.
 */
export function refuseUnexpectedVersion({ envelope, context, current, drifted }: Attempt): void {
  const { path, type } = envelope;
  const stale = (message: string): never => {
    throw new VaultError('version_conflict', { path }, message);
  };
  const { ifMatch } = context;
  if (ifMatch === undefined) {
    const buries = type === 'operation' || type === 'delete';
    if (drifted && buries)
      stale(
        `'${path}' was changed outside Sheaf. Read it again and send its current hash as the expected version, or accept it with \`sheaf adopt\`.`,
      );
  } else if (ifMatch === null) {
    if (current !== null) stale(`'${path}' exists already, and the writer expected it not to.`);
  } else if (current?.hash !== ifMatch) {
    stale(`'${path}' is not the version the writer read (${ifMatch}). Read it again and repeat the change on what it says now.`);
  }
}

/**
 * The answer to an operation that is byte-identical to the stored document (§6.4), else undefined. Only the idempotency store can remember it,
 * since nothing is committed; a dry run is not remembered at all.
 */
export async function unchangedResponse(attempt: Attempt): Promise<SuccessResponse | undefined> {
  const { envelope, current, change } = attempt;
  if (envelope.type !== 'operation' || current === null || current.hash !== change.afterHash) return undefined;
  // A request under the same key may have stored these very bytes since stage 2.
  const winner = await replayOfKey(attempt);
  if (winner !== null) return winner;
  const response = uncommittedResponse(attempt, true);
  return envelope.dry_run ? response : rememberUnchanged(attempt, response);
}

async function rememberUnchanged(attempt: Attempt, response: SuccessResponse): Promise<SuccessResponse> {
  const { id, adapters } = boundWorkspace(attempt);
  const record = {
    request_hash: attempt.requestHash,
    response,
    recorded_at: attempt.kernel.clock.now().toISOString(),
  };
  try {
    await adapters.idempotency.put(id, attempt.envelope.idempotency_key, record);
  } catch (error) {
    const winner = error instanceof DuplicateKeyError ? await replayOfKey(attempt) : null;
    if (winner !== null) return winner;
    attempt.lateWarnings.push(`idempotency: the answer could not be recorded: ${reasonOf(error)}`);
    return uncommittedResponse(attempt, true);
  }
  return response;
}
