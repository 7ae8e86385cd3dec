/** Something an opened store noticed and mended, or could not mend; for `status`, `doctor` and stderr. */
export interface StoreNotice {
  readonly kind: 'read_only' | 'torn_tail' | 'index_rebuilt' | 'duplicate_event' | 'events_missing' | 'intent_conflict' | 'cache_reset';
  /** What was found, where, and what was done about it. */
  readonly message: string;
  /** Vault-relative file the notice is about. */
  readonly file?: string;
  readonly offset?: number;
}

/** Takes a notice; each is kept once. */
export type Report = (notice: StoreNotice) => void;
