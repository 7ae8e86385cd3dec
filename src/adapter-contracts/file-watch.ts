/** What a watch of the vault's files tells. */
export interface FileWatchListener {
  /**
   * Vault paths where something may have changed, appeared or gone: a file, a directory with everything below it (trailing `/`), or the whole vault
   * (`''`). May come too often, several times for one change, and while the change is under way.
   */
  changed(paths: readonly string[]): void;
  /** From now on changes may go unreported, because of `reason`; whoever needs them looks by themselves. Null: every change is reported again. */
  lost(reason: string | null): void;
}

/** A watch that is under way. */
export interface FileWatch {
  /** Whether somebody is changing many files at this moment, as git does during a checkout. */
  busy(): boolean;
  /** Frees every watch; nothing is told any more. */
  close(): void;
}

/**
 * Starts to watch the files of a vault outside the reserved directories; links are never followed. Resolves when every directory there is is watched, or
 * `lost` has said why not; never throws. What changed before is not told.
 */
export type WatchFiles = (listener: FileWatchListener) => Promise<FileWatch>;
