import { reasonOf } from '#errors';
import type { Stage } from '../attempt.ts';
import { releaseReservation } from '../release-reservation.ts';

/** Stage 11 — completes the external effect. A failing finalize is none, so one reconcile follows and the commit stands (§6.3). */
export const finalizeResource: Stage = async attempt => {
  const { reservation, kernel, lateWarnings } = attempt;
  if (reservation === null || kernel.resources === null) return undefined;
  try {
    await kernel.resources.finalize(reservation.request, reservation.token);
    attempt.reservation = null;
  } catch (error) {
    lateWarnings.push(`resource: the external effect could not be completed: ${reasonOf(error)}`);
    await releaseReservation(attempt, 'finalize');
  }
  return undefined;
};
