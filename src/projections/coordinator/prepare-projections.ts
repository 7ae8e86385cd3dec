import type { DerivedProjection } from '../derived-projection.ts';
import { type BuildStage, logStart } from './coordinator-tables.ts';
import type { DerivedDatabase } from './derived-database.ts';

/**
 * Makes tables for projections that have none of this version, and begins with those that are asked for. One that this process does not know is forgotten:
 * it would miss what is applied from now on, so whoever knows it builds it again.
 */
export const prepareProjections = (
  database: DerivedDatabase,
  projections: readonly DerivedProjection[],
  asked: readonly DerivedProjection[],
): void => {
  if (isPrepared(database, projections, asked)) return;
  const { connection, tables } = database;
  connection
    .transaction(() => {
      const known = new Set(projections.map(({ id }) => id));
      for (const { id } of tables.projections()) if (!known.has(id)) tables.dropProjection(id);
      for (const projection of projections) {
        if (tables.projection(projection.id)?.version !== projection.version) beginAnew(database, projection, 'unasked');
      }
      for (const { id, feed } of asked) {
        const row = tables.projection(id)!;
        if (row.stage === 'unasked') tables.putProjection({ ...row, stage: firstStage(feed) });
      }
    })
    .immediate();
};

/** Where a projection stands that was asked for and holds nothing. */
const firstStage = (feed: DerivedProjection['feed']): BuildStage => (feed === 'documents' ? 'building' : 'built');

/** Empties one projection; inside a transaction. */
export const beginAnew = ({ connection, tables }: DerivedDatabase, projection: DerivedProjection, stage?: 'unasked'): void => {
  const { id, version, feed } = projection;
  projection.drop(connection);
  projection.create(connection);
  tables.putProjection({ id, version, feed, stage: stage ?? firstStage(feed), built_to: '', ...logStart });
};

const isPrepared = (
  { tables }: DerivedDatabase,
  projections: readonly DerivedProjection[],
  asked: readonly DerivedProjection[],
): boolean => {
  const rows = tables.projections();
  return (
    rows.length === projections.length &&
    projections.every(({ id, version }) => rows.some(row => row.id === id && row.version === version)) &&
    !rows.some(row => row.stage === 'unasked' && asked.some(({ id }) => id === row.id))
  );
};
