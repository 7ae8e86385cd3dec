import type Database from 'better-sqlite3';
import type { Replayed } from '#adapter-contracts';
import type { DerivedProjection, DocumentProjection, EventProjection } from '../derived-projection.ts';
import type { ScanSource } from '../scan-vault.ts';
import type { ProjectionDrift } from '../vault-projections.ts';
import type { Finding } from './apply-batch.ts';
import type { DerivedDatabase } from './derived-database.ts';
import { commit, type Levelling } from './levelling.ts';
import { lookAtName, lookInside } from './look-at-file.ts';
import { buildAnew, contentsOf } from './projection-contents.ts';

/** Where projections disagree with the bytes of the vault and with the log, whatever stamps and cursors say. Level them before. */
export const findDrift = async (
  source: ScanSource,
  projections: readonly DerivedProjection[],
  database: DerivedDatabase,
): Promise<readonly ProjectionDrift[]> => {
  const rows: ProjectionDrift[] = [];
  for (const projection of projections)
    if (projection.feed === 'events') for (const row of await driftOfEvents(source, projection, database)) rows.push(row);
  const ofDocuments = projections.filter(projection => projection.feed === 'documents');
  const anew = await buildAnew(source, ofDocuments);
  try {
    for (const projection of ofDocuments) for (const row of await driftOfDocuments(source, projection, database, anew)) rows.push(row);
  } finally {
    anew.close();
  }
  return rows;
};

const driftOfDocuments = async (
  source: ScanSource,
  projection: DocumentProjection,
  { connection }: DerivedDatabase,
  anew: Database.Database,
): Promise<readonly ProjectionDrift[]> => {
  const wanted = contentsOf(anew, projection);
  const held = contentsOf(connection, projection);
  const differing = [...new Set([...wanted.keys(), ...held.keys()])].filter(path => {
    const [want, have] = [wanted.get(path), held.get(path)];
    return want?.hash !== have?.hash || want?.digest !== have?.digest;
  });
  const rows: ProjectionDrift[] = [];
  for (const path of differing.sort()) {
    const stored = wanted.get(path)?.hash ?? null;
    // What changed since it was read is no drift.
    const { hash } = (await lookAtName(source, { path, kind: 'file' })) ?? (await lookInside(source, path));
    if (stored === null || hash === stored) rows.push({ projection: projection.id, path, held: held.get(path)?.hash ?? null, stored });
  }
  return rows;
};

/** Rows of events are compared by the projection itself, if it can; what the log holds more or less is said once, without a path. */
const driftOfEvents = async (
  { events, workspaceId }: ScanSource,
  projection: EventProjection,
  { connection, tables }: DerivedDatabase,
): Promise<readonly ProjectionDrift[]> => {
  const { id } = projection;
  if (projection.holds === undefined || projection.size === undefined) return [];
  const end = tables.projection(id)?.cursor ?? null;
  const rows: ProjectionDrift[] = [];
  let count = 0;
  const compare = ({ event, cursor }: Replayed): void => {
    count += 1;
    if (projection.holds?.(connection, { event, cursor }) === false)
      rows.push({ projection: id, path: event.subject, held: null, stored: event.event_id });
  };
  for await (const replayed of end === null ? [] : events.replay({ workspaceId })) {
    compare(replayed);
    // What was appended since belongs to the next levelling.
    if (replayed.cursor === end) break;
  }
  const held = projection.size(connection);
  if (rows.length === 0 && held !== count) rows.push({ projection: id, path: '', held: `${held} events`, stored: `${count} events` });
  return rows;
};

/** Gives projections of documents what stands at these paths now, whatever they hold. */
export const mendPaths = async (levelling: Levelling, paths: readonly string[]): Promise<void> => {
  const { source, database, batchFiles } = levelling;
  for (let from = 0; from < paths.length; from += batchFiles) {
    const findings: Finding[] = [];
    const { removals } = database.tables.about();
    for (const path of paths.slice(from, from + batchFiles)) {
      const row = database.tables.file(path)?.revision ?? null;
      const look = (await lookAtName(source, { path, kind: 'file' })) ?? (await lookInside(source, path));
      findings.push({ look, row, removals, news: 'mend' });
    }
    await commit(levelling, { findings, events: [], log: null, pass: null });
  }
};
