/** Paths that rest for a moment before they are looked at. */
export interface Settling {
  /** Something happened at the path: its rest begins anew. */
  note(path: string): void;
  /** It is not to be looked at after all. */
  forget(path: string): void;
  close(): void;
}

interface SettlingOptions {
  /** How long nothing must have happened at a path. */
  readonly quietMs: number;
  /** After so long a path counts as settled although it does not rest. Default: never. */
  readonly atMostMs?: number;
  readonly settled: (paths: readonly string[]) => void;
}

/**
 * Waits until a save is over: editors truncate and write, write aside and rename, or rename the old file away first, and each step tells that the file
 * changed. Paths that settle within one moment are handed over together.
 */
export const createSettling = ({ quietMs, atMostMs = Number.POSITIVE_INFINITY, settled }: SettlingOptions): Settling => {
  const pending = new Map<string, { readonly first: number; last: number }>();
  let timer: NodeJS.Timeout | null = null;
  const due = ({ first, last }: { readonly first: number; readonly last: number }): number => Math.min(last + quietMs, first + atMostMs);
  const look = (): void => {
    timer = null;
    const now = performance.now();
    const ready = [...pending].filter(([, times]) => due(times) <= now).map(([path]) => path);
    for (const path of ready) pending.delete(path);
    wait();
    if (ready.length > 0) settled(ready);
  };
  const wait = (): void => {
    if (timer !== null || pending.size === 0) return;
    // Not sooner than a part of the rest: what settles shortly after the first goes along.
    timer = setTimeout(look, quietMs / 4).unref();
  };
  return {
    note(path) {
      const now = performance.now();
      const known = pending.get(path);
      if (known === undefined) pending.set(path, { first: now, last: now });
      else known.last = now;
      wait();
    },
    forget: path => void pending.delete(path),
    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      pending.clear();
    },
  };
};
