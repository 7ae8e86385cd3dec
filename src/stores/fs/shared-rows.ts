/** One row: `value` is JSON text, `expires` a moment in milliseconds after which it counts as absent, `tag` a second key. */
export interface SharedRow {
  readonly scope: string;
  readonly key: string;
  readonly tag: string;
  readonly expires: number;
  readonly value: string;
}

/** A small table that every process on the vault shares: leases, and the idempotency cache. */
export interface SharedRows {
  /** Runs `work` alone among all writers; what it throws undoes its changes. */
  transact<T>(work: () => T): T;
  get(scope: string, key: string): SharedRow | null;
  findByTag(tag: string): SharedRow | null;
  list(scope: string): readonly SharedRow[];
  put(row: SharedRow): void;
  delete(scope: string, key: string): void;
  /** Removes rows that expired at or before `moment`. */
  expire(moment: number): void;
  /** False once somebody removed the file: what is written now would reach nobody. */
  isCurrent(): boolean;
  close(): void;
}

/** The rows cannot be read; `cause` says why. */
export class SharedRowsDamagedError extends Error {
  override readonly name = 'SharedRowsDamagedError';
}
