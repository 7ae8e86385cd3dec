import type { Stage } from '../attempt.ts';
import { releaseReservation } from '../release-reservation.ts';
import { uncommittedResponse } from '../respond.ts';

/** Stage 8 — a rehearsal ends here: what was prepared is released and nothing is recorded (§6.3). */
export const exitDryRun: Stage = async attempt => {
  if (!attempt.envelope.dry_run) return undefined;
  await releaseReservation(attempt, 'dry_run');
  return uncommittedResponse(attempt, false);
};
