import type { Clock } from '#adapter-contracts';
import { reasonOf, VaultError } from '#errors';
import type { DerivedProjection } from '../derived-projection.ts';
import type { ScanSource } from '../scan-vault.ts';
import type { Levelled, ProjectionView, VaultProjections } from '../vault-projections.ts';
import { createBackgroundLevelling } from './background-levelling.ts';
import { createDatabaseHandle } from './database-handle.ts';
import { createDerivedCoordinator } from './derived-coordinator.ts';
import { type DerivedDatabase, isDamage } from './derived-database.ts';
import { findDrift } from './find-drift.ts';
import { type Asked, createLeveller, healDamage, type LevelRequest } from './leveller.ts';
import { patiently } from './levelling.ts';
import { createManifestKeeper } from './manifest-keeper.ts';
import { beginAnew } from './prepare-projections.ts';
import { heldVaultHash } from './projection-manifest.ts';
import { projectionStatus } from './projection-status.ts';
import { createSurveyStore } from './survey-store.ts';

export interface VaultProjectionsOptions {
  /** Absolute path of `.ssss/derived`; null keeps everything in memory. */
  readonly derivedDirectory: string | null;
  readonly source: ScanSource;
  readonly projections: readonly DerivedProjection[];
  readonly clock: Clock;
  /** What a person should know: the database is kept in memory, was replaced, the log was exchanged, work in the background failed. */
  readonly onNotice: (kind: string, message: string) => void;
}

/** After so many times a database that is damaged again and again is kept in memory. */
const maxAttempts = 4;

/** The derived read models of one open vault (§10). Opens nothing before the first use. */
export const openVaultProjections = (options: VaultProjectionsOptions): VaultProjections => {
  const { source, projections, onNotice, derivedDirectory } = options;
  const handle = createDatabaseHandle(derivedDirectory, source.workspaceId, onNotice);
  const closing = new AbortController();
  const manifest = createManifestKeeper({ ...options, directory: derivedDirectory });
  const leveller = createLeveller({
    ...options,
    handle,
    closing: closing.signal,
    onLevel: (database, files) => manifest.levelled(database, files),
  });
  const survey = createSurveyStore(handle);
  let turn: Promise<unknown> = Promise.resolve();
  let queued: { scan: boolean; asked: Asked; readonly done: Promise<Levelled> } | null = null;
  const everything: Asked = { projections, files: true };
  /** What somebody here needed until now; kept level in the background. */
  let used: Asked = { projections: [], files: false };

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work);
    turn = next.catch(() => undefined);
    return next;
  };
  const background = createBackgroundLevelling(() =>
    inTurn(() => leveller.level({ scan: 'none', asked: used })).catch((error: unknown) => {
      if (!closing.signal.aborted)
        onNotice('projections_failed', `The derived read models could not be brought level: ${reasonOf(error)}.`);
    }),
  );
  /** Whoever only writes pays nothing: the first question opens the database. */
  const poke = (): void => {
    if (handle.isOpen() && used.projections.length > 0) background.poke();
  };
  const levelQueued = (): Promise<Levelled> => {
    const { scan, asked } = queued ?? { scan: false, asked: everything };
    // Whoever comes from here on needs a levelling that begins after this one.
    queued = null;
    return leveller.level({ scan: scan ? 'all' : 'unless-known', asked });
  };
  const level = (asked: Asked, scan = false): Promise<Levelled> => {
    used = both(used, asked);
    if (queued === null) queued = { scan, asked, done: inTurn(levelQueued) };
    else {
      queued.scan ||= scan;
      queued.asked = both(queued.asked, asked);
    }
    return queued.done;
  };
  const isReady = ({ tables }: DerivedDatabase, asked: Asked): boolean =>
    asked.projections.every(({ id }) => tables.projection(id)?.stage === 'built');
  const rebuild = (chosen: readonly DerivedProjection[], options: Pick<LevelRequest, 'onProgress' | 'signal'> = {}): Promise<Levelled> =>
    inTurn(async () => {
      const database = handle.use();
      const forget = database.connection.transaction(() => {
        if (chosen.length === projections.length) forgetFiles(database);
        for (const projection of chosen) beginAnew(database, projection);
      });
      await patiently(() => forget.immediate());
      used = both(used, askedFor(chosen));
      return leveller.level({ ...options, scan: 'all', asked: chosen.length === projections.length ? everything : askedFor(chosen) });
    });
  const find = (id: string | undefined): readonly DerivedProjection[] => {
    const chosen = id === undefined ? projections : projections.filter(projection => projection.id === id);
    if (chosen.length === 0 && id !== undefined) throw unknownProjection(id, projections);
    return chosen;
  };
  const read = async <T>(asked: Asked, work: (database: DerivedDatabase) => T): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // One that was just made, or is being built, by another process too, would answer with less than there is.
        let database = handle.isOpen() ? handle.use() : null;
        if (database === null || !isReady(database, asked)) {
          await level(asked);
          database = leveller.levelled();
        }
        if (database !== null && (isReady(database, asked) || attempt > maxAttempts)) return snapshot(database, work);
      } catch (error) {
        if (!isDamage(error) || attempt > maxAttempts) throw error;
        healDamage(handle, error, { onNotice, givesUp: attempt === maxAttempts });
      }
    }
  };
  const repairing = async (repair: boolean) => {
    await level(everything, true);
    const drift = await findDrift(source, projections, handle.use());
    if (!repair || drift.length === 0) return drift;
    const events = projections.filter(({ id, feed }) => feed === 'events' && drift.some(row => row.projection === id));
    if (events.length > 0) await rebuild(events);
    const documents = new Set(drift.filter(row => !events.some(({ id }) => id === row.projection)).map(row => row.path));
    await inTurn(() => leveller.mend([...documents]));
    return drift;
  };

  const viewOf = (asked: Asked): Pick<ProjectionView, 'level' | 'read'> => ({
    async level({ scan = false, signal } = {}) {
      signal?.throwIfAborted();
      return level(asked, scan);
    },
    read: work => read(asked, ({ connection }) => work(connection)),
  });
  const shared: Pick<ProjectionView, 'write' | 'touched'> = {
    write: work =>
      patiently(() => {
        const { connection } = handle.use();
        return connection.transaction(() => work(connection)).immediate();
      }),
    touched(paths) {
      leveller.touched(paths);
      poke();
    },
  };

  return {
    ...viewOf(everything),
    ...shared,
    of: (...ids) => ({ ...viewOf(askedFor(ids.flatMap(find))), ...shared }),
    watched: reliable => leveller.watched(reliable),
    rebuild: async ({ id, onProgress, signal } = {}) => rebuild(find(id), { onProgress, signal }),
    status: () => inTurn(() => projectionStatus(source, projections, handle.find())),
    findDrift: ({ repair = false } = {}) => repairing(repair),
    surveyed: work => survey.surveyed(work),
    following: inner =>
      createDerivedCoordinator(inner, {
        projections,
        committed: poke,
        bringLevel: async (id, anew) => void (await (anew ? rebuild(find(id)) : level(askedFor(find(id))))),
        hash: async id =>
          handle.find() === null ? null : read({ ...askedFor(find(id)), files: true }, ({ tables }) => heldVaultHash(tables)),
      }),
    async close() {
      background.stop();
      closing.abort(new Error('The vault is closed.'));
      await turn;
      if (handle.isOpen()) manifest.close(handle.use());
      handle.close();
    },
  };
};

const askedFor = (projections: readonly DerivedProjection[]): Asked => ({
  projections,
  files: projections.some(({ feed }) => feed === 'documents'),
});

const both = (one: Asked, other: Asked): Asked => ({
  projections: [...new Set([...one.projections, ...other.projections])],
  files: one.files || other.files,
});

/** So that every file is read again, whatever its stamp says. */
const forgetFiles = ({ tables }: DerivedDatabase): void => {
  tables.dropFiles();
  tables.setAbout({ scanned: 0, removals: tables.about().removals + 1 });
};

/** All of one question sees one state, whatever other processes write meanwhile. */
const snapshot = <T>(database: DerivedDatabase, work: (database: DerivedDatabase) => T): T =>
  database.connection.transaction(() => work(database))();

const unknownProjection = (id: string, projections: readonly DerivedProjection[]): VaultError<'invalid_request'> => {
  const known = projections.map(other => other.id).join(', ') || 'none';
  return new VaultError(
    'invalid_request',
    { issues: [{ field: 'id', issue: `unknown projection '${id}'` }] },
    `There is no projection '${id}' (known: ${known}).`,
  );
};
