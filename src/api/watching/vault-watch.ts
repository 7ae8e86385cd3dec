import type { AdoptionResult } from '../adoption-result.ts';

export interface WatchOptions {
  /** Ends the watch. */
  readonly signal?: AbortSignal;
  /**
   * Called when files have settled after a change; a trailing `/` stands for all below a directory, null for anything in the vault. Commits change files,
   * too.
   */
  onChange?(paths: readonly string[] | null): void;
  /** Called with what became of hand edits that were to be adopted (`"adopt": "on-save"`); each refusal comes once for one content. */
  onAdopted?(results: readonly AdoptionResult[]): void;
}

/** How hand edits are noticed at this moment. */
export interface WatchState {
  /** `events`: the system reports every change. `scanning`: it does not, so the vault is looked through every few seconds. */
  readonly mode: 'events' | 'scanning';
  /** Why it is `scanning`. */
  readonly reason: string | null;
  /** Whether valid hand edits are adopted when they have settled. */
  readonly adopts: boolean;
  /** Settled changes of files since the watch began. */
  readonly changes: number;
  /** Hand edits that were recorded in the log. */
  readonly adopted: number;
}

/** A watch that is under way. */
export interface VaultWatch {
  state(): WatchState;
  /** Ends it, and waits for an adoption that is under way. */
  close(): Promise<void>;
}
