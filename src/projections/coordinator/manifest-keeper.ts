import type { Clock } from '#adapter-contracts';
import { reasonOf } from '#errors';
import type { DerivedProjection } from '../derived-projection.ts';
import { type DerivedDatabase, isBusy, isDamage } from './derived-database.ts';
import { writeManifest } from './projection-manifest.ts';

interface ManifestKeeperOptions {
  /** Null: there is no directory to write into. */
  readonly directory: string | null;
  readonly projections: readonly DerivedProjection[];
  readonly clock: Clock;
  readonly onNotice: (kind: string, message: string) => void;
}

/** Writes the manifest when it is due. */
export interface ManifestKeeper {
  levelled(database: DerivedDatabase, files: number): void;
  close(database: DerivedDatabase): void;
}

/** Up to this many files the hash of the vault costs next to nothing; of a larger vault it is written when this process closes or has been quiet. */
const smallVault = 2_000;
const quietMs = 1_000;

export const createManifestKeeper = ({ directory, projections, clock, onNotice }: ManifestKeeperOptions): ManifestKeeper => {
  let timer: NodeJS.Timeout | null = null;

  const write = (database: DerivedDatabase): void => {
    if (directory === null || database.name === null) return;
    try {
      if (database.isCurrent()) writeManifest(directory, database, projections, clock);
    } catch (error) {
      // The next levelling finds what is wrong with the database; somebody who deletes the directory meanwhile wants no manifest.
      if (isDamage(error) || isBusy(error) || (error instanceof Error && 'code' in error && error.code === 'ENOENT')) return;
      onNotice('manifest', `the manifest of the derived read models could not be written: ${reasonOf(error)}`);
    }
  };
  return {
    levelled(database, files) {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (files <= smallVault) write(database);
      else timer = setTimeout(() => write(database), quietMs).unref();
    },
    close(database) {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      write(database);
    },
  };
};
