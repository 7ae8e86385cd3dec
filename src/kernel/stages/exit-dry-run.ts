import type { Stage } from '../attempt.ts';
import { replayOfKey } from '../recorded-key.ts';
import { releaseReservation } from '../release-reservation.ts';
import { uncommittedResponse } from '../respond.ts';

/** Stage 8 — a rehearsal ends here: what was prepared is released and nothing is recorded (§6.3). */
export const exitDryRun: Stage = async attempt => {
  if (!attempt.envelope.dry_run) return undefined;
  await releaseReservation(attempt, 'dry_run');
  // A request under the same key may have committed since stage 2, and what stage 3 read may be its work.
  return (await replayOfKey(attempt)) ?? uncommittedResponse(attempt, false);
};
