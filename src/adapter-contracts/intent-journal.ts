import type { StoredDocument } from './stored-document.ts';

/** What must be known before stage 9 to decide a half-done commit later (§6.3). */
export interface CommitIntent {
  readonly workspace_id: string;
  readonly path: string;
  /** The event this commit will append; its presence in the log decides. */
  readonly event_id: string;
  /** The document before the commit, or null when there was none. */
  readonly prior: Uint8Array | null;
  readonly prior_hash: string | null;
  /** `sha256:<hex>` of the intended content; null for a delete. */
  readonly intended_hash: string | null;
}

/** §6.3: how a leftover intent was decided. `in_flight` = its writer is alive, nothing was done. */
export type IntentOutcome = 'committed' | 'rolled_back' | 'discarded' | 'conflict' | 'in_flight';

export interface RecoveryReport {
  readonly workspace_id: string;
  readonly path: string;
  readonly event_id: string;
  readonly outcome: IntentOutcome;
  /** Where a `conflict` intent was set aside, vault-relative. */
  readonly kept_at?: string;
}

/** The document named by a leftover intent, under the commit lock that the journal holds for the resolver. */
export interface LockedTarget {
  read(): Promise<StoredDocument | null>;
  /** Durably restores content (null = removes the document). */
  restore(content: Uint8Array | null): Promise<void>;
}

/** Decides a leftover intent by the §6.3 table and restores what must be restored. Supplied by the kernel. */
export type ResolveIntent = (intent: CommitIntent, target: LockedTarget) => Promise<Exclude<IntentOutcome, 'in_flight'>>;

export interface CommitScope {
  /** Leftovers on this path that were resolved before this commit began. */
  readonly resolved: readonly RecoveryReport[];
  /** Keep the intent after `commit` ends: the outcome of the event append is unknown and recovery must decide. */
  keepIntent(): void;
}

/**
 * Commit intents and commit locks (§6.3, §6.7). Liveness is the operating-system lock alone: free = the writer is dead.
 * A commit lock that cannot be had within the configured time fails with `VaultError('version_conflict')`.
 */
export interface IntentJournal {
  /**
   * Takes the path's commit lock, resolves leftovers that name the path, durably records `intent`, runs `commit`, and removes the
   * intent unless `commit` asked to keep it. The lock is held until `commit` settles; what `commit` throws is rethrown. An intent whose prior
   * content is not what is stored once the lock is held is not recorded, and what `commit` then tries to change is refused with
   * `VaultError('version_conflict')`: recovery could otherwise take another commit's work for this one's (§6.3).
   */
  run<T>(
    path: string,
    intent: CommitIntent,
    commit: (scope: CommitScope) => Promise<T>,
    options: { readonly resolve: ResolveIntent },
  ): Promise<T>;
  /** Waits until no live writer is committing on `path` and its leftovers are resolved; records no intent. */
  settle(path: string, options: { readonly resolve: ResolveIntent }): Promise<readonly RecoveryReport[]>;
  /** Resolves every intent whose writer is gone; reports live ones as `in_flight`. Reports each outcome once. */
  recover(resolve: ResolveIntent): Promise<readonly RecoveryReport[]>;
}
