import type Database from 'better-sqlite3';
import type { CanonicalEvent } from '#adapter-contracts';
import { documentVersion } from '#projections';

/** One event that changed a workflow or trigger document, in log order. */
export interface DefinitionChange {
  /** Grows with the log; comparable between documents. */
  readonly place: number;
  readonly event_id: string;
  readonly action: string;
  readonly timestamp: string;
  readonly before_hash: string | null;
  readonly after_hash: string | null;
  /** The patched keys; null for anything but a patch. */
  readonly fields: readonly string[] | null;
}

/** Newest first. */
export const changesOf = (db: Database.Database, path: string): readonly DefinitionChange[] =>
  (
    db
      .prepare(
        'SELECT place, event_id, action, timestamp, before_hash, after_hash, fields FROM runtime_changes WHERE path = ? ORDER BY place DESC',
      )
      .all(path) as (Omit<DefinitionChange, 'fields'> & { fields: string | null })[]
  ).map(row => ({ ...row, fields: row.fields === null ? null : (JSON.parse(row.fields) as string[]) }));

/** Whether an event changed a workflow or trigger document: what may fire behind it is not what could before. */
export const changesDefinitions = (event: CanonicalEvent): boolean => {
  const type = documentVersion(event)?.primitiveId;
  return type === 'ssss:workflow' || type === 'ssss:trigger';
};
