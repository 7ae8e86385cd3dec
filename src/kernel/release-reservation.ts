import type { ReconcilePhase } from '#adapter-contracts';
import { reasonOf } from '#errors';
import type { Attempt } from './attempt.ts';

/**
 * Gives an open reservation back, once (§6.3): whoever calls it first takes the reservation off the attempt. A coordinator that fails to let go
 * becomes a warning, because the envelope's own answer stands.
 */
export async function releaseReservation(attempt: Attempt, phase: ReconcilePhase): Promise<void> {
  const { reservation, kernel } = attempt;
  attempt.reservation = null;
  if (reservation === null || kernel.resources === null) return;
  try {
    await kernel.resources.reconcile(reservation.request, reservation.token, phase);
  } catch (error) {
    attempt.lateWarnings.push(`resource: the reservation could not be reconciled (${phase}): ${reasonOf(error)}`);
  }
}
