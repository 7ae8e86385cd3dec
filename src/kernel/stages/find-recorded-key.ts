import type { Attempt, Stage } from '../attempt.ts';
import { replayOfKey } from '../recorded-key.ts';
import { invalidRequest, orInternalError } from '../refusals.ts';

/** Stage 2 — a key that was used already decides (§6.4): its answer again, or `idempotency_conflict`. */
export const findRecordedKey: Stage = async attempt => {
  // The first look into the vault: what an earlier process left half done is decided before anything is read (§6.3).
  await attempt.workspace?.recoverOnce();
  await refuseUnknownCause(attempt);
  return (await replayOfKey(attempt)) ?? undefined;
};

/** Edges of the event graph point backward only, so a cause must stand in the log already (§8.3). */
async function refuseUnknownCause({ context, workspace }: Attempt): Promise<void> {
  const { causationId } = context;
  if (causationId === undefined || workspace === null) return;
  const cause = await orInternalError('The event log cannot be read', () => workspace.adapters.events.findById(causationId));
  if (cause?.workspace_id !== workspace.id)
    throw invalidRequest({ field: 'causation_id', issue: `The log holds no event '${causationId}'.` });
}
