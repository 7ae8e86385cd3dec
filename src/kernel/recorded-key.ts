import type { IdempotencyRecord } from '#adapter-contracts';
import { isMap } from '#document';
import { VaultError } from '#errors';
import type { Attempt } from './attempt.ts';
import type { SuccessResponse } from './kernel-response.ts';
import { orInternalError } from './refusals.ts';
import { responseOf } from './respond.ts';

/**
 * The replay that the envelope's key already decides (§6.4), or null. The store answers first; without the record of a commit the log does. Throws
 * `idempotency_conflict` for another request under the key, telling nothing about it.
 */
export async function replayOfKey(attempt: Attempt): Promise<SuccessResponse | null> {
  const { workspace, envelope } = attempt;
  if (workspace === null) return null;
  const { idempotency, events } = workspace.adapters;
  const key = envelope.idempotency_key;
  const record = await orInternalError('The idempotency store cannot be read', () => idempotency.get(workspace.id, key));
  const recorded = record === null ? null : usableResponse(record);
  const replayRecord = (): SuccessResponse | null => {
    if (record === null || recorded === null) return null;
    refuseOtherRequest(attempt, record.request_hash);
    return { ...recorded, replay: true };
  };
  // A record without an event (`unchanged`) may have met a commit under the same key, and what was committed decides.
  if (recorded?.event_id !== undefined) return replayRecord();
  const event = await orInternalError('The event log cannot be read', () => events.findByIdempotencyKey(workspace.id, key));
  if (event === null) return replayRecord();
  refuseOtherRequest(attempt, event.request_hash);
  return { ...responseOf(event), replay: true };
}

/** The store lies in the vault beside everything else that syncs, so a damaged record counts as none and the log decides. */
function usableResponse({ request_hash, response }: IdempotencyRecord): SuccessResponse | null {
  if (typeof request_hash !== 'string' || !isMap(response) || response.success !== true || !isMap(response.validation)) return null;
  return response as unknown as SuccessResponse;
}

function refuseOtherRequest(attempt: Attempt, recordedHash: unknown): void {
  if (recordedHash === attempt.requestHash) return;
  throw new VaultError(
    'idempotency_conflict',
    {},
    'The idempotency key was already used for a different request; use a new key for a new request.',
  );
}
