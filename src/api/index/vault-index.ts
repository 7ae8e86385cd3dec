import type { Levelled, ProjectionDrift, ProjectionStatus, SessionPage, SessionQuery } from '#projections';

/** How far a rebuild of one projection has come: documents done of those known. */
export interface IndexProgress {
  readonly projection: string;
  readonly done: number;
  readonly total: number;
}

/** What is derived from vault and log (§10): how far behind it is, and how it is made anew. Deleting it changes no answer. */
export interface VaultIndex {
  /** Every projection: where it stands, and how much it has not seen. Changes nothing. */
  status(): Promise<readonly ProjectionStatus[]>;
  /** Forgets one projection or all and builds them from vault and log. Throws `VaultError('invalid_request')` for an unknown id. */
  rebuild(id?: string): Promise<{ readonly rebuilt: readonly string[] } & Levelled>;
  /** Compares what projections hold with what vault and log make of them, whatever stamps and cursors say. Gives what differs. */
  check(): Promise<readonly ProjectionDrift[]>;
  /** As `check`, and mends what differs. */
  repair(): Promise<readonly ProjectionDrift[]>;
  /** Sessions (§8.3), the one with the newest event first. Throws `VaultError('invalid_request')` for a `since` or `cursor` that is none. */
  sessions(query: Omit<SessionQuery, 'since'> & { readonly since?: string }): Promise<SessionPage>;
  /** Tells how far rebuilds of this process have come, until the function it gives is called. */
  onProgress(listener: (progress: IndexProgress) => void): () => void;
}
