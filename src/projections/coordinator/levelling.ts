import { setTimeout as delay } from 'node:timers/promises';
import type { DerivedProjection } from '../derived-projection.ts';
import type { ScanSource } from '../scan-vault.ts';
import type { OnProjectionProgress } from '../vault-projections.ts';
import { type Applied, applyBatch, type Batch } from './apply-batch.ts';
import { type DerivedDatabase, isBusy } from './derived-database.ts';

/** What one levelling works with. */
export interface Levelling {
  readonly source: ScanSource;
  /** All of the vault. */
  readonly projections: readonly DerivedProjection[];
  /** Those that are to become level; the others are at most told what changed. */
  readonly asked: readonly DerivedProjection[];
  readonly database: DerivedDatabase;
  /** Paths that need a look; emptied by looking, filled again by what another process changed meanwhile. */
  readonly touched: Set<string>;
  /** How many files one transaction takes at most: few where commits of the same process must get in between. */
  readonly batchFiles: number;
  readonly onProgress?: OnProjectionProgress | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The log was exchanged below the projections. */
  onExchanged(): void;
}

/** Applies a batch and remembers what needs another look. */
export const commit = async ({ database, projections, touched, signal }: Levelling, batch: Batch): Promise<Applied> => {
  signal?.throwIfAborted();
  const applied = await patiently(() => applyBatch(database, projections, batch));
  for (const path of applied.again) touched.add(path);
  return applied;
};

const patienceMs = 10_000;

/** Runs a transaction; while another process writes, it is tried again, so that this process can go on with other work. */
export const patiently = async <T>(work: () => T): Promise<T> => {
  for (const start = performance.now(); ; ) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() - start > patienceMs) throw error;
    }
    await delay(5 + Math.random() * 20);
  }
};
