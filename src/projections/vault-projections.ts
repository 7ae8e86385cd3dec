import type Database from 'better-sqlite3';
import type { ProjectionCoordinator } from '#adapter-contracts';
import type { SurveyMemory } from './detect-drift.ts';

/** What a levelling did. */
export interface Levelled {
  readonly events: number;
  /** Files read because they changed, and paths found gone. */
  readonly files: number;
}

/** Progress of a rebuild or a repair: documents done of those known, per projection. */
export type OnProjectionProgress = (progress: { readonly projection: string; readonly done: number; readonly total: number }) => void;

export interface ProjectionStatus {
  readonly id: string;
  readonly feed: 'documents' | 'events';
  readonly version: string;
  /** `missing`: never built, or built by another version; `stale`: behind log or vault; `level`. */
  readonly state: 'missing' | 'stale' | 'level';
  /** Where it stands in the log; null = before the first event. */
  readonly cursor: string | null;
  /** Events in the log that it has not seen. */
  readonly lag: number;
  /** Files whose content is not the one it holds; null for projections of events. */
  readonly drifted: number | null;
}

export interface ProjectionDrift {
  readonly projection: string;
  readonly path: string;
  readonly held: string | null;
  readonly stored: string | null;
}

/** Some projections, for whoever asks about nothing else. */
export interface ProjectionView {
  /**
   * Brings them level with log and files. Files are compared by stamp; while `watched` was told that somebody reports every change, or a scan was made a
   * moment ago, only reported and logged paths are looked at, unless `scan` asks for all. Without a projection of documents no file is looked at.
   */
  level(options?: { readonly scan?: boolean; readonly signal?: AbortSignal }): Promise<Levelled>;
  /** Reads the database as it is; call `level` first. The work must not keep the connection. A damaged or vanished database is made anew and levelled once. */
  read<T>(work: (db: Database.Database) => T): Promise<T>;
  /** Writes rows beside a projection's own (vectors, say) in one short transaction. */
  write<T>(work: (db: Database.Database) => T): Promise<T>;
  /** Paths that may have changed on the disk; levelled soon, in the background, and by the next `level`. */
  touched(paths: readonly string[]): void;
}

/**
 * The derived read models of one open vault, kept in one database below `.ssss/derived` (in memory where that cannot be written). Every process that
 * opens the vault shares the database; whoever reads levels first, so no answer depends on who wrote or whether a server runs. Deleting the
 * database, even while it is used, changes no answer (§10). As a view of its own it stands for all projections; one that nobody ever asked for is not
 * built, so whoever asks names through `of` what the question needs.
 */
export interface VaultProjections extends ProjectionView {
  /** @example const graph = projections.of('graph'); await graph.level(); */
  of(...ids: readonly string[]): ProjectionView;
  /** Whether somebody reports every change of a file through `touched` from now on. */
  watched(reliable: boolean): void;
  /** Forgets one projection or all and builds them from vault and log. Throws `invalid_request` for an unknown id. */
  rebuild(options?: { readonly id?: string; readonly onProgress?: OnProjectionProgress; readonly signal?: AbortSignal }): Promise<Levelled>;
  status(): Promise<readonly ProjectionStatus[]>;
  /** Compares what projections hold with the vault, byte for byte; `repair` mends what differs. */
  findDrift(options?: { readonly repair?: boolean }): Promise<readonly ProjectionDrift[]>;
  /** Runs a survey of the files (`surveyDrift`) with what earlier ones learned about them, in this process or another; opens no database that is not there. */
  surveyed<T>(work: (memory: SurveyMemory) => Promise<T>): Promise<T>;
  /** Put before the coordinator of other read models: hears of every commit of this process, and levels in the background what is in use here. */
  following(inner: ProjectionCoordinator): ProjectionCoordinator;
  close(): Promise<void>;
}
