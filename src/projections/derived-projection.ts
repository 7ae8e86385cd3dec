import type Database from 'better-sqlite3';
import type { Replayed } from '#adapter-contracts';
import type { ScannedFile } from './scan-vault.ts';

/** What stands at one path now: Markdown that was read, or nothing that a projection may show (gone, unreadable, a copy, conflict markers). */
export interface FileChange {
  readonly path: string;
  readonly file: (ScannedFile & { readonly kind: 'markdown' }) | null;
}

interface DerivedTables {
  /** Unique among the projections of a vault; also the prefix of its tables. */
  readonly id: string;
  /** Whatever decides what is stored: layout, tokeniser, registry digest. Another value than the recorded one rebuilds the projection. */
  readonly version: string;
  /** Makes the tables; the database may hold none of them. */
  create(db: Database.Database): void;
  /** Removes the tables, if they are there. */
  drop(db: Database.Database): void;
  /** What `MANIFEST.json` says of it besides (§10.1): the model and the dimension of vectors, say. */
  describe?(db: Database.Database): Readonly<Record<string, string | number | null>>;
}

/** A read model of the vault's files (§10). */
export interface DocumentProjection extends DerivedTables {
  readonly feed: 'documents';
  /** Takes over changes, inside the coordinator's transaction. The same change twice leaves the same rows. */
  apply(db: Database.Database, changes: readonly FileChange[]): void;
  /**
   * Every path it holds with the content hash its rows were made from, in any order. It need not hold every document; what it is to hold is what `apply`
   * makes of the whole vault.
   */
  holdings(db: Database.Database): Iterable<{ readonly path: string; readonly hash: string }>;
  /**
   * Queries for everything else that can be compared: each row begins with a path, and all of it follows from the documents alone, not from row ids. Drift
   * in these rows is found whatever hash stands beside them.
   */
  readonly contents?: readonly string[];
}

/** A read model of the event log (§8.3, §10). */
export interface EventProjection extends DerivedTables {
  readonly feed: 'events';
  /** Takes over events in log order, inside the coordinator's transaction. An event that it holds already changes nothing. */
  apply(db: Database.Database, events: readonly Replayed[]): void;
  /** Whether its rows say of an event what `apply` makes of it; with `size`, this finds drift between the projection and the log. */
  holds?(db: Database.Database, replayed: Replayed): boolean;
  /** How many events it holds. */
  size?(db: Database.Database): number;
}

export type DerivedProjection = DocumentProjection | EventProjection;
