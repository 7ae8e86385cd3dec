import type { Replayed } from '#adapter-contracts';
import type { DerivedProjection, DocumentProjection, EventProjection } from '../derived-projection.ts';
import type { ScanSource } from '../scan-vault.ts';
import type { ProjectionDrift } from '../vault-projections.ts';
import type { Finding } from './apply-batch.ts';
import type { DerivedDatabase } from './derived-database.ts';
import { commit, type Levelling } from './levelling.ts';
import { lookAtName, lookInside } from './look-at-file.ts';
import { disagreements, observeFiles } from './observe-files.ts';

/** Where projections disagree with the bytes of the vault and with the log, whatever stamps and cursors say. Level them before. */
export const findDrift = async (
  source: ScanSource,
  projections: readonly DerivedProjection[],
  database: DerivedDatabase,
): Promise<readonly ProjectionDrift[]> => {
  const rows: ProjectionDrift[] = [];
  const observed = await observeFiles(source, null);
  for (const projection of projections) {
    if (projection.feed === 'events') rows.push(...(await driftOfEvents(source, projection, database)));
    else rows.push(...(await driftOfDocuments(source, projection, database, observed)));
  }
  return rows;
};

const driftOfDocuments = async (
  source: ScanSource,
  { id, holdings }: DocumentProjection,
  { connection }: DerivedDatabase,
  observed: ReadonlyMap<string, string>,
): Promise<readonly ProjectionDrift[]> => {
  const rows: ProjectionDrift[] = [];
  for (const [path, { held, stored }] of disagreements(holdings(connection), observed)) {
    // What changed since it was observed is no drift.
    const { hash, file } = (await lookAtName(source, { path, kind: 'file' })) ?? (await lookInside(source, path));
    if ((file === null ? null : hash) === stored) rows.push({ projection: id, path, held, stored });
  }
  return rows.sort((a, b) => (a.path < b.path ? -1 : 1));
};

/** Rows of events are compared by the projection itself, if it can; what the log holds more or less is said once, without a path. */
const driftOfEvents = async (
  { events, workspaceId }: ScanSource,
  projection: EventProjection,
  { connection, tables }: DerivedDatabase,
): Promise<readonly ProjectionDrift[]> => {
  const { id, holds, size } = projection;
  if (holds === undefined || size === undefined) return [];
  const end = tables.projection(id)?.cursor ?? null;
  const rows: ProjectionDrift[] = [];
  let count = 0;
  const compare = ({ event, cursor }: Replayed): void => {
    count += 1;
    if (!holds(connection, { event, cursor })) rows.push({ projection: id, path: event.subject, held: null, stored: event.event_id });
  };
  for await (const replayed of end === null ? [] : events.replay({ workspaceId })) {
    compare(replayed);
    // What was appended since belongs to the next levelling.
    if (replayed.cursor === end) break;
  }
  const held = size(connection);
  if (rows.length === 0 && held !== count) rows.push({ projection: id, path: '', held: `${held} events`, stored: `${count} events` });
  return rows;
};

/** Gives projections of documents what stands at these paths now, whatever they hold. */
export const mendPaths = async (levelling: Levelling, paths: readonly string[]): Promise<void> => {
  const { source, database, batchFiles } = levelling;
  for (let from = 0; from < paths.length; from += batchFiles) {
    const findings: Finding[] = [];
    const { removals } = database.tables.about()!;
    for (const path of paths.slice(from, from + batchFiles)) {
      const row = database.tables.file(path)?.revision ?? null;
      const look = (await lookAtName(source, { path, kind: 'file' })) ?? (await lookInside(source, path));
      findings.push({ look, row, removals, news: 'mend' });
    }
    await commit(levelling, { findings, events: [], log: null, pass: null });
  }
};
