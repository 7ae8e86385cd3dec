import type { Replayed } from '#adapter-contracts';
import { reasonOf } from '#errors';
import type { DerivedProjection, DocumentProjection, EventProjection, FileChange } from '../derived-projection.ts';
import type { LogPlace } from './coordinator-tables.ts';
import { type DerivedDatabase, isBusy, isDamage } from './derived-database.ts';
import type { Look } from './look-at-file.ts';

/** A look at a file, with what the database said of the path before. */
export interface Finding {
  readonly look: Look;
  /** `revision` of the row; null = there was none. */
  readonly row: number | null;
  /** `about.removals` then: where there was no row, one may have come and gone. */
  readonly removals: number;
  /**
   * `content`: not what the database knows; `mend`: as it knows it, but some projection holds something else; `rebuild`: as it knows it, for projections
   * that are being built; `stamp`: only the stamp is new.
   */
  readonly news: 'content' | 'mend' | 'rebuild' | 'stamp';
}

/** What is to become true in one transaction. */
export interface Batch {
  readonly findings: readonly Finding[];
  readonly events: readonly Replayed[];
  /** Who stands at `from` and is to stand at `to`; `documents` for the projections of documents together. */
  readonly log: { readonly consumers: readonly string[]; readonly from: LogPlace; readonly to: LogPlace } | null;
  /**
   * The part of a pass over all files that this is, in the order of their paths; the last one has no end. It `builds` the projections that are given every
   * file of that part.
   */
  readonly pass: { readonly builds: readonly string[]; readonly after: string; readonly to: string | null } | null;
}

export interface Applied {
  /** False when another process moved the place in the log; nothing was changed. */
  readonly done: boolean;
  /** Paths that another process looked at meanwhile; they need another look. */
  readonly again: readonly string[];
  readonly files: number;
}

/** The consumer of the log that stands for all projections of documents. */
export const documentsConsumer = '';

/**
 * Takes over what was found, if nobody else did meanwhile: files are read outside the transaction, so a slower process must not put what it read
 * over what a faster one has read since.
 */
export const applyBatch = (
  { connection, tables }: DerivedDatabase,
  projections: readonly DerivedProjection[],
  { findings, events, log, pass }: Batch,
): Applied => {
  const work = connection.transaction((): Applied => {
    if (log !== null && !log.consumers.every(id => standsAt(tables, id, log.from))) return { done: false, again: [], files: 0 };
    const about = tables.about();
    const again: string[] = [];
    const changes: FileChange[] = [];
    const rebuilt: FileChange[] = [];
    let { revision, removals } = about;
    for (const { look, row, removals: removalsThen, news } of findings) {
      const { path, stamp, hash, kind, file, absent } = look;
      const now = tables.file(path);
      if ((now?.revision ?? null) !== row || (now === undefined && removalsThen !== about.removals)) {
        again.push(path);
        continue;
      }
      if (news === 'rebuild') rebuilt.push({ path, file });
      else if (news === 'mend' || (news === 'content' && (kind !== 0 || (now?.kind ?? 0) !== 0))) changes.push({ path, file });
      if ((news === 'rebuild' || news === 'mend') && now?.hash === hash && (now.stamp === stamp || stamp === null)) continue;
      revision += 1;
      if (absent) {
        if (now !== undefined) removals += 1;
        tables.dropFile(path);
      } else {
        // A row of the same content keeps being held; a new stamp alone tells nobody anything.
        tables.putFile({ path, stamp, hash, kind, held: 1, revision });
      }
    }
    for (const projection of projections) {
      if (projection.feed === 'documents') applyFiles(projection, changes, rebuilt);
      else if (log?.consumers.includes(projection.id) === true) named(projection, () => projection.apply(connection, events));
    }
    if (log !== null) for (const id of log.consumers) moveTo(tables, id, log.to);
    if (pass?.to === null && about.scanned === 0) tables.setAbout({ scanned: 1 });
    if (revision !== about.revision) tables.setAbout({ revision, removals });
    return { done: true, again, files: changes.length };
  });

  const applyFiles = (projection: DocumentProjection, changes: readonly FileChange[], rebuilt: readonly FileChange[]): void => {
    const row = tables.projection(projection.id);
    if (row === undefined || row.stage === 'unasked') return;
    // A pass counts where it continues what was built before: another process may have begun to build anew since it started.
    const continues = row.stage === 'building' && pass?.builds.includes(projection.id) === true && row.built_to >= pass.after;
    const behind = continues ? rebuilt.filter(({ path }) => path > row.built_to) : [];
    const all = behind.length === 0 ? changes : [...changes, ...behind];
    if (all.length > 0) named(projection, () => projection.apply(connection, all));
    if (!continues) return;
    if (pass.to === null) tables.putProjection({ ...row, stage: 'built', built_to: '' });
    else if (pass.to > row.built_to) tables.putProjection({ ...row, built_to: pass.to });
  };
  return work.immediate();
};

/** A failure says whose it is; what SQLite says of the file itself stays as it is. */
const named = (projection: DocumentProjection | EventProjection, work: () => void): void => {
  try {
    work();
  } catch (error) {
    if (isDamage(error) || isBusy(error)) throw error;
    throw new Error(`projection '${projection.id}': ${reasonOf(error)}`, { cause: error });
  }
};

const placeOf = (tables: DerivedDatabase['tables'], id: string): LogPlace | undefined =>
  id === documentsConsumer ? tables.about() : tables.projection(id);

const standsAt = (tables: DerivedDatabase['tables'], id: string, place: LogPlace): boolean => placeOf(tables, id)?.cursor === place.cursor;

const moveTo = (tables: DerivedDatabase['tables'], id: string, { cursor, cursor_before, last_event }: LogPlace): void => {
  if (id === documentsConsumer) tables.setAbout({ cursor, cursor_before, last_event });
  else tables.putProjection({ ...tables.projection(id)!, cursor, cursor_before, last_event });
};
