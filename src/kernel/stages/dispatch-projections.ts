import { reasonOf } from '#errors';
import type { Stage } from '../attempt.ts';

/** Stage 12 — tells derived read models; one that fails catches up from the log later (§10). */
export const dispatchProjections: Stage = async attempt => {
  const { event, change, kernel, lateWarnings } = attempt;
  if (event === null || kernel.projections === null) return undefined;
  try {
    await kernel.projections.dispatch(event, change.after, attempt.current?.bytes ?? null);
  } catch (error) {
    lateWarnings.push(`projection: ${reasonOf(error)}`);
  }
  return undefined;
};
