import type { DerivedProjection } from '../derived-projection.ts';
import type { ScanSource } from '../scan-vault.ts';
import type { ProjectionStatus } from '../vault-projections.ts';
import { type LogPlace, logStart, type ProjectionRow } from './coordinator-tables.ts';
import type { DerivedDatabase } from './derived-database.ts';
import { continuesAt } from './level-log.ts';
import { observeFiles, pendingPaths } from './observe-files.ts';

/** How far every projection is behind log and vault; changes nothing. Null = there is no database yet. */
export const projectionStatus = async (
  source: ScanSource,
  projections: readonly DerivedProjection[],
  database: DerivedDatabase | null,
): Promise<readonly ProjectionStatus[]> => {
  const tables = database?.tables ?? null;
  const observed = await observeFiles(source, tables);
  const pending = tables === null ? new Set(observed.keys()) : pendingPaths(tables, observed);
  const lags = new Map<string | null, number | null>();
  const lagBehind = async (place: LogPlace): Promise<number | null> => {
    if (!lags.has(place.cursor)) lags.set(place.cursor, (await continuesAt(source, place)) ? await eventsBehind(source, place) : null);
    return lags.get(place.cursor) ?? null;
  };
  const statuses: ProjectionStatus[] = [];
  for (const projection of projections) {
    const { id, feed, version } = projection;
    const row = tables?.projection(id);
    const built = row?.version === version && row.stage !== 'unasked';
    const place = built ? ((feed === 'documents' ? tables?.about() : row) ?? logStart) : logStart;
    const lag = await lagBehind(place);
    let drifted: number | null = null;
    if (projection.feed === 'documents') {
      drifted = built && database !== null ? driftedPaths(projection.holdings(database.connection), pending, observed) : observed.size;
    }
    statuses.push({
      id,
      feed,
      version,
      state: stateOf(built ? row : undefined, lag, drifted),
      cursor: place.cursor,
      lag: lag ?? (await eventsBehind(source, logStart)),
      drifted,
    });
  }
  return statuses;
};

/** What was not taken over yet, and what is held otherwise than it stands in the vault. What is missing altogether only a comparison tells (`findDrift`). */
const driftedPaths = (
  holdings: Iterable<{ readonly path: string; readonly hash: string }>,
  pending: ReadonlySet<string>,
  observed: ReadonlyMap<string, string>,
): number => {
  const drifted = new Set(pending);
  for (const { path, hash } of holdings) if (observed.get(path) !== hash) drifted.add(path);
  return drifted.size;
};

const stateOf = (row: ProjectionRow | undefined, lag: number | null, drifted: number | null): ProjectionStatus['state'] => {
  if (row === undefined) return 'missing';
  return row.stage === 'built' && lag === 0 && (drifted ?? 0) === 0 ? 'level' : 'stale';
};

const eventsBehind = async ({ events, workspaceId }: ScanSource, { cursor }: LogPlace): Promise<number> => {
  let count = 0;
  for await (const _ of events.replay({ workspaceId, ...(cursor === null ? {} : { cursor }) })) count += 1;
  return count;
};
