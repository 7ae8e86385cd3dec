import { reasonOf } from '#errors';
import type { DerivedProjection } from '../derived-projection.ts';
import type { ScanSource } from '../scan-vault.ts';
import type { Levelled, OnProjectionProgress } from '../vault-projections.ts';
import type { DatabaseHandle } from './database-handle.ts';
import { type DerivedDatabase, isDamage } from './derived-database.ts';
import { mendPaths } from './find-drift.ts';
import { levelLog } from './level-log.ts';
import { type Levelling, patiently } from './levelling.ts';
import { levelTouched, lookAtPaths } from './look-at-paths.ts';
import { prepareProjections } from './prepare-projections.ts';
import { scanFiles } from './scan-files.ts';

/** What a question needs. */
export interface Asked {
  readonly projections: readonly DerivedProjection[];
  /** Without, every file and the projections of documents are left alone. */
  readonly files: boolean;
}

export interface LevelRequest {
  /**
   * Which files are looked at besides those that were reported or that new events name: `all`; all `unless-known` from a moment ago; `none`, for work in
   * the background.
   */
  readonly scan: 'all' | 'unless-known' | 'none';
  readonly asked: Asked;
  readonly onProgress?: OnProjectionProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface LevellerOptions {
  readonly handle: DatabaseHandle;
  readonly source: ScanSource;
  readonly projections: readonly DerivedProjection[];
  /** Ends whatever is under way. */
  readonly closing: AbortSignal;
  readonly onNotice: (kind: string, message: string) => void;
  /** After a levelling, with the number of files in the vault as far as it is known. */
  onLevel(database: DerivedDatabase, files: number): void;
}

/** Brings the projections level, one levelling at a time; see `VaultProjections`. */
export interface Leveller {
  level(request: LevelRequest): Promise<Levelled>;
  touched(paths: readonly string[]): void;
  watched(reliable: boolean): void;
  /** The database that was brought level last; it may have vanished from the disk since, and still holds what it held. */
  levelled(): DerivedDatabase | null;
  /** Gives the projections of documents what stands at these paths now, whatever they hold. */
  mend(paths: readonly string[]): Promise<void>;
}

/** Files of one transaction: enough to be quick, few enough that other processes, and in the background the commits of this one, get in between. */
const batchFiles = 500;
const backgroundFiles = 32;
/** A scan of up to this many files is cheap enough for every question. */
const cheapScan = 2_000;
/** For larger vaults, how long one scan is believed, per file: about ten times what it took. */
const believedMsPerFile = 0.05;
/** Somebody may delete or damage the database again and again; after this many times it is kept in memory. */
const maxAttempts = 4;

const exchanged =
  'The event log no longer continues where the derived read models stopped (a checkout, merge or restore changed it); they were rebuilt.';

/** Makes a damaged database anew, or goes on in memory. */
export const healDamage = (
  handle: DatabaseHandle,
  error: unknown,
  { onNotice, givesUp }: { readonly givesUp: boolean; readonly onNotice: (kind: string, message: string) => void },
): void => {
  if (givesUp) handle.giveUp(error);
  else {
    // A database that vanished is no news; one that is there and damaged is.
    if (handle.isOpen())
      onNotice('projections_rebuilt', `The database of the derived read models was damaged and was made anew: ${reasonOf(error)}.`);
    handle.replace();
  }
};

export const createLeveller = (options: LevellerOptions): Leveller => {
  const { handle, source, projections, closing, onNotice } = options;
  const touched = new Set<string>();
  let isWatched = false;
  let believedUntil = 0;
  let levelled: DerivedDatabase | null = null;
  let known: { readonly database: DerivedDatabase; readonly files: number } | null = null;

  const needsScan = ({ tables }: DerivedDatabase, { asked }: LevelRequest): boolean =>
    tables.about().scanned !== 1 || asked.projections.some(({ id }) => tables.projection(id)?.stage === 'building');
  const scansAnyway = (database: DerivedDatabase, { scan }: LevelRequest): boolean => {
    if (scan === 'all' || touched.has('')) return true;
    if (scan === 'none') return false;
    return known?.database !== database || (!isWatched && performance.now() >= believedUntil);
  };
  const scan = async (levelling: Levelling): Promise<number> => {
    touched.clear();
    // Until it is done: one that fails must not be believed, now that the reported paths are forgotten.
    known = null;
    const { taken, seen } = await scanFiles(levelling);
    known = { database: levelling.database, files: seen };
    believedUntil = seen <= cheapScan ? 0 : performance.now() + seen * believedMsPerFile;
    return taken;
  };
  const levellingOf = (database: DerivedDatabase, { scan: how, asked, onProgress, signal }: LevelRequest): Levelling => ({
    source,
    projections,
    asked: asked.projections,
    database,
    touched,
    batchFiles: how === 'none' ? backgroundFiles : batchFiles,
    onProgress,
    signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
    onExchanged: () => onNotice('projections_rebuilt', exchanged),
  });
  const levelOnce = async (request: LevelRequest): Promise<Levelled> => {
    const database = handle.use();
    await patiently(() => prepareProjections(database, projections, request.asked.projections));
    const levelling = levellingOf(database, request);
    if (!request.asked.files) {
      const events = await levelLog(levelling, 'left');
      levelled = database;
      return { events, files: 0 };
    }
    const whole = scansAnyway(database, request) || needsScan(database, request);
    const events = await levelLog(levelling, whole ? 'pass-follows' : paths => lookAtPaths(levelling, paths));
    const scanned = whole || needsScan(database, request) ? await scan(levelling) : 0;
    const files = scanned + (await levelTouched(levelling));
    levelled = database;
    options.onLevel(database, known?.files ?? Number.POSITIVE_INFINITY);
    return { events, files };
  };

  return {
    async level(request) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await levelOnce(request);
        } catch (error) {
          if (!isDamage(error) || attempt > maxAttempts) throw error;
          healDamage(handle, error, { onNotice, givesUp: attempt === maxAttempts });
        }
      }
    },
    touched(paths) {
      for (const path of paths) touched.add(path);
    },
    watched(reliable) {
      isWatched = reliable;
      known = null;
    },
    levelled: () => levelled,
    mend: paths => mendPaths(levellingOf(handle.use(), { scan: 'none', asked: { projections, files: true } }), paths),
  };
};
