import { DuplicateEventError, UnknownAppendOutcomeError } from '#adapter-contracts';
import { VaultError } from '#errors';
import { type Attempt, boundWorkspace, type Stage } from '../attempt.ts';
import { canonicalEvent } from '../canonical-event.ts';
import { internalError } from '../refusals.ts';
import { undoCommit } from '../undo-commit.ts';

/** Stage 10 — the commit point: the envelope is committed exactly when its event is durably in the log (§6.3). */
export const appendEvent: Stage = async attempt => {
  const { adapters, conflictWarnings, conflictsReported } = boundWorkspace(attempt);
  const { envelope, kernel, warnings, lateWarnings } = attempt;
  const conflicts = conflictWarnings();
  const event = canonicalEvent(attempt, kernel.clock.now(), [...warnings, ...conflicts]);
  try {
    await adapters.events.append(event);
  } catch (error) {
    throw await refusedAppend(attempt, error);
  }
  attempt.event = event;
  conflictsReported(conflicts);
  // The payload of an `event` is the client's, so there its warnings travel in the response alone.
  if (envelope.type === 'event') lateWarnings.push(...conflicts);
  return undefined;
};

async function refusedAppend(attempt: Attempt, error: unknown): Promise<VaultError> {
  const { path } = attempt.envelope;
  if (error instanceof UnknownAppendOutcomeError) {
    // Undoing could contradict a log that holds the event after all; recovery reads it and decides.
    attempt.held?.scope.keepIntent();
    return internalError('It is unknown whether the event reached the log; send the envelope again under the same key', error);
  }
  await undoCommit(attempt);
  if (error instanceof DuplicateEventError)
    return new VaultError('version_conflict', { path }, `Another request committed first under this key: ${error.message}.`);
  return internalError('The event could not be appended, so nothing was committed', error);
}
