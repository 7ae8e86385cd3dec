import type { Clock } from '#adapter-contracts';
import { reasonOf, VaultError } from '#errors';
import type { DerivedProjection } from '../derived-projection.ts';
import type { ScanSource } from '../scan-vault.ts';
import type { Levelled, OnProjectionProgress, VaultProjections } from '../vault-projections.ts';
import { createDatabaseHandle } from './database-handle.ts';
import { type DerivedDatabase, isDamage } from './derived-database.ts';
import { levelLog } from './level-log.ts';
import { type Levelling, patiently } from './levelling.ts';
import { levelTouched, lookAtPaths } from './look-at-paths.ts';
import { beginAnew, prepareProjections } from './prepare-projections.ts';
import { scanFiles } from './scan-files.ts';

export interface VaultProjectionsOptions {
  /** Absolute path of `.ssss/derived`; null keeps everything in memory. */
  readonly derivedDirectory: string | null;
  readonly source: ScanSource;
  readonly projections: readonly DerivedProjection[];
  readonly clock: Clock;
  /** What a person should know: the database is kept in memory, was replaced, the log was exchanged, work in the background failed. */
  onNotice(kind: string, message: string): void;
}

interface LevelRequest {
  readonly scan: boolean;
  readonly background: boolean;
  readonly onProgress?: OnProjectionProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Files of one transaction: enough to be quick, few enough that other processes, and in the background the commits of this one, get in between. */
const batchFiles = 500;
const backgroundFiles = 32;
/** A scan of up to this many files is cheap enough for every question. */
const cheapScan = 2_000;
/** For larger vaults, how long one scan is believed, per file: about ten times what it took. */
const believedMsPerFile = 0.05;

/** The derived read models of one open vault. Opens nothing before the first use. */
export const openVaultProjections = (options: VaultProjectionsOptions): VaultProjections => {
  const { source, projections, onNotice } = options;
  const handle = createDatabaseHandle(options.derivedDirectory, source.workspaceId, onNotice);
  const closing = new AbortController();
  const touched = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();
  let queued: { scan: boolean; readonly done: Promise<Levelled> } | null = null;
  let isWatched = false;
  let believedUntil = 0;
  let scanned: DerivedDatabase | null = null;

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work);
    turn = next.catch(() => undefined);
    return next;
  };
  const needsScan = (database: DerivedDatabase): boolean => {
    const { tables } = database;
    if (scanned !== database || tables.about()?.scanned !== 1 || tables.projections().some(row => row.building === 1)) return true;
    return !isWatched && performance.now() >= believedUntil;
  };
  const levelOnce = async (request: LevelRequest): Promise<Levelled> => {
    const database = handle.use();
    await patiently(() => prepareProjections(database, projections));
    const { signal } = request;
    const levelling: Levelling = {
      source,
      projections,
      database,
      touched,
      batchFiles: request.background ? backgroundFiles : batchFiles,
      onProgress: request.onProgress,
      signal: signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]),
      onExchanged: () =>
        onNotice(
          'projections_rebuilt',
          'The event log no longer continues where the derived read models stopped (a checkout, merge or restore changed it); they were rebuilt.',
        ),
    };
    let files = 0;
    const whole = request.scan || touched.has('') || needsScan(database);
    const events = await levelLog(levelling, whole ? null : paths => lookAtPaths(levelling, paths));
    if (whole || needsScan(database)) {
      touched.clear();
      const { taken, seen } = await scanFiles(levelling);
      files += taken;
      scanned = database;
      believedUntil = seen <= cheapScan ? 0 : performance.now() + seen * believedMsPerFile;
    }
    files += await levelTouched(levelling);
    return { events, files };
  };
  /** A database that is damaged or vanishes on the way is made anew, and everything is done once more. */
  const levelNow = async (request: LevelRequest): Promise<Levelled> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const done = await levelOnce(request);
        if (handle.isOpen() || attempt === maxAttempts) return done;
      } catch (error) {
        if (!isDamage(error) || attempt === maxAttempts) throw error;
        onNotice('projections_rebuilt', `The database of the derived read models was damaged and was made anew: ${reasonOf(error)}.`);
        handle.replace();
      }
    }
  };
  const level = (scan: boolean): Promise<Levelled> => {
    if (queued !== null) {
      queued.scan ||= scan;
      return queued.done;
    }
    const wanted = { scan, done: inTurn(() => levelQueued()) };
    queued = wanted;
    return wanted.done;
  };
  const levelQueued = (): Promise<Levelled> => {
    const all = queued?.scan === true;
    // Whoever comes from here on needs a levelling that begins after this one.
    queued = null;
    return levelNow({ scan: all, background: false });
  };
  const isBuilding = ({ tables }: DerivedDatabase): boolean =>
    tables.projections().length < projections.length || tables.projections().some(row => row.building === 1);

  return {
    level: ({ scan = false } = {}) => level(scan),
    async read(work) {
      for (let attempt = 1; ; attempt += 1) {
        const wasOpen = handle.isOpen();
        const database = handle.use();
        try {
          if ((!wasOpen || isBuilding(database)) && attempt < maxAttempts) {
            await level(false);
            continue;
          }
          return database.connection.transaction(() => work(database.connection))();
        } catch (error) {
          if (!isDamage(error) || attempt === maxAttempts) throw error;
          onNotice('projections_rebuilt', `The database of the derived read models was damaged and was made anew: ${reasonOf(error)}.`);
          handle.replace();
          await level(false);
        }
      }
    },
    write(work) {
      return patiently(() => {
        const { connection } = handle.use();
        return connection.transaction(() => work(connection)).immediate();
      });
    },
    touched(paths) {
      for (const path of paths) touched.add(path);
    },
    watched(reliable) {
      isWatched = reliable;
      scanned = null;
    },
    rebuild({ id, onProgress, signal } = {}) {
      const chosen = id === undefined ? projections : projections.filter(projection => projection.id === id);
      if (chosen.length === 0) throw unknownProjection(id!, projections);
      return inTurn(async () => {
        const database = handle.use();
        const forget = database.connection.transaction(() => {
          for (const projection of chosen) beginAnew(database, projection);
        });
        await patiently(() => forget.immediate());
        return levelNow({ scan: true, background: false, onProgress, signal });
      });
    },
    status: async () => [],
    findDrift: async () => [],
    async close() {
      closing.abort(new Error('The vault is closed.'));
      await turn;
      handle.close();
    },
  };
};

const maxAttempts = 4;

const unknownProjection = (id: string, projections: readonly DerivedProjection[]): VaultError<'invalid_request'> => {
  const known = projections.map(other => other.id).join(', ') || 'none';
  return new VaultError(
    'invalid_request',
    { issues: [{ field: 'id', issue: `unknown projection '${id}'` }] },
    `There is no projection '${id}' (known: ${known}).`,
  );
};
