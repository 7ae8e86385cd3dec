import type { ProjectionView } from '#projections';
import { pathsOfType } from '../graph/read-graph.ts';

/** The paths of all `conflict` documents anywhere in the vault, as of now. */
export const knownConflicts = async (projections: ProjectionView): Promise<readonly string[]> => {
  await projections.level();
  return projections.read(db => pathsOfType(db, 'ssss:conflict'));
};
