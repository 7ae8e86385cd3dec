import type { DriftRow, VaultProjections } from '#projections';
import { hasDefinitions } from '#runtime';

/**
 * Whether there may be workflows, triggers or assistants, by the log and by what a survey found besides. Where there are none, what keeps work from being
 * done on time is told without looking into a single document.
 */
export const mayDefineWork = async (projections: Pick<VaultProjections, 'of'>, survey: readonly DriftRow[]): Promise<boolean> => {
  if (survey.some(({ kind }) => kind === 'drift' || kind === 'untracked')) return true;
  const log = projections.of('runtime');
  await log.level();
  return log.read(hasDefinitions);
};
