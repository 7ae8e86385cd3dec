import { reasonOf } from '#errors';
import { boundWorkspace, type Stage } from '../attempt.ts';
import { committedResponse } from '../respond.ts';

/** Stage 13 — keeps the response under its key (§6.4) and answers. Without the record the log still replays it. */
export const recordIdempotency: Stage = async attempt => {
  const { event, envelope, requestHash, lateWarnings, kernel } = attempt;
  if (event === null) throw new Error('stage 13 ran without a commit');
  const response = committedResponse(event, lateWarnings);
  const { id, adapters } = boundWorkspace(attempt);
  const recorded_at = kernel.clock.now().toISOString();
  try {
    await adapters.idempotency.put(id, envelope.idempotency_key, {
      request_hash: requestHash,
      response,
      recorded_at,
    });
    return response;
  } catch (error) {
    return committedResponse(event, [...lateWarnings, `idempotency: the answer could not be recorded: ${reasonOf(error)}`]);
  }
};
