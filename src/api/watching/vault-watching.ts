import type { Principal, WatchFiles } from '#adapter-contracts';
import type { VaultProjections } from '#projections';
import { type AdoptionSource, adoptRows } from '../adopt-documents.ts';
import type { VaultNotice } from '../vault.ts';
import { createAdoptSettled } from './adopt-settled.ts';
import type { VaultWatch, WatchOptions, WatchState } from './vault-watch.ts';
import { type RunningWatch, watchVault } from './watch-vault.ts';

/** What a vault watches with; null members where there is nothing to watch. */
export interface WatchParts {
  readonly watchFiles: WatchFiles | null;
  readonly adoptOnSave: boolean;
}

interface WatchingParts extends WatchParts {
  readonly source: AdoptionSource;
  readonly projections: Pick<VaultProjections, 'level' | 'touched' | 'watched'>;
  isExecuting(path: string): boolean;
  readonly principal: () => Principal;
}

/** The watches of one vault. */
export interface VaultWatching {
  watch(options?: WatchOptions): Promise<VaultWatch>;
  /** Of the watch begun first; null while there is none. */
  state(): WatchState | null;
  notices(): readonly VaultNotice[];
  close(): Promise<void>;
}

export const createVaultWatching = (parts: WatchingParts): VaultWatching => {
  const { watchFiles, source, projections } = parts;
  const running = new Set<RunningWatch>();
  const adopter = () =>
    createAdoptSettled({
      source,
      kernel: source.kernel,
      isExecuting: path => parts.isExecuting(path),
      adoptRows: (rows, principal) => adoptRows(source, rows, principal),
      principal: parts.principal,
    });
  return {
    async watch(options = {}) {
      if (watchFiles === null) return idle;
      let ended = false;
      let watch: RunningWatch | null = null;
      const onEnd = (): void => {
        ended = true;
        if (watch !== null) running.delete(watch);
      };
      watch = await watchVault({ watchFiles, projections, adopt: parts.adoptOnSave ? adopter() : null, onEnd }, options);
      if (!ended) running.add(watch);
      return watch;
    },
    state: () => [...running][0]?.state() ?? null,
    notices: () => [...running].flatMap(watch => watch.notices()),
    async close() {
      await Promise.all([...running].map(watch => watch.close()));
    },
  };
};

/** A vault in memory has no files that anybody else could change. */
const idle: VaultWatch = {
  state: () => ({ mode: 'events', reason: null, adopts: false, changes: 0, adopted: 0 }),
  close: async () => undefined,
};
