import type Database from 'better-sqlite3';

/** Another value discards databases that were made before. */
export const databaseLayout = 2;

export const coordinatorSchema = `
  CREATE TABLE coordinator_about (one INTEGER PRIMARY KEY CHECK (one = 1), layout INTEGER NOT NULL, name TEXT NOT NULL, inode TEXT NOT NULL,
    workspace TEXT NOT NULL, revision INTEGER NOT NULL, removals INTEGER NOT NULL, scanned INTEGER NOT NULL, cursor TEXT, cursor_before TEXT,
    last_event TEXT, manifested TEXT NOT NULL);
  CREATE TABLE coordinator_projections (id TEXT PRIMARY KEY, version TEXT NOT NULL, feed TEXT NOT NULL, stage TEXT NOT NULL,
    built_to TEXT NOT NULL, cursor TEXT, cursor_before TEXT, last_event TEXT) WITHOUT ROWID;
  CREATE TABLE coordinator_files (path TEXT PRIMARY KEY, stamp TEXT, hash TEXT, kind INTEGER NOT NULL, held INTEGER NOT NULL,
    revision INTEGER NOT NULL) WITHOUT ROWID;`;

/** A place in the log: behind `last_event`, which begins at `cursor_before` (null = at the start of the log); all null = before the first event. */
export interface LogPlace {
  readonly cursor: string | null;
  readonly cursor_before: string | null;
  readonly last_event: string | null;
}

export const logStart: LogPlace = { cursor: null, cursor_before: null, last_event: null };

/** What the database says of itself and of the projections of documents together. */
interface AboutRow extends LogPlace {
  readonly name: string;
  readonly inode: string;
  /** Counts changes of `coordinator_files`. */
  readonly revision: number;
  /** Counts rows taken out of `coordinator_files`. */
  readonly removals: number;
  /** 0 until every file was looked at once. */
  readonly scanned: number;
  /** What the manifest that was written last described. */
  readonly manifested: string;
}

/**
 * Where a projection stands. `unasked`: nobody needed it yet, so its tables are empty and nothing is applied to it. `building`: somebody needs it; it is
 * told every change and has not seen every file. `built`: it is told every change. Asking moves it from the first to the second, a pass over all files
 * from the second to the third, beginning anew back to one of the first two. Projections of events are `unasked` or `built`: their place says the rest.
 */
export type BuildStage = 'unasked' | 'building' | 'built';

export interface ProjectionRow extends LogPlace {
  readonly id: string;
  readonly version: string;
  readonly feed: 'documents' | 'events';
  readonly stage: BuildStage;
  /** How far building came, in the order in which the vault lists its files. */
  readonly built_to: string;
}

/** What projections hold for a path: nothing, Markdown that is no document, a document. */
export type HeldKind = 0 | 1 | 2;

export interface FileRow {
  readonly path: string;
  /** The stamp of the file when `hash` was computed; null when it had none to be believed. */
  readonly stamp: string | null;
  /** Null for what is reported by its name or cannot be read. */
  readonly hash: string | null;
  readonly kind: HeldKind;
  /** 0 when only a survey has seen this content. */
  readonly held: number;
  readonly revision: number;
}

/** The database is readable and still not what this coordinator made. */
export class DamagedDatabaseError extends Error {
  override readonly name = 'DamagedDatabaseError';
}

/** The coordinator's own rows. Everything here is one statement; transactions are the caller's. */
export interface CoordinatorTables {
  /** Throws `DamagedDatabaseError` when somebody took it away. */
  about(): AboutRow;
  setAbout(values: Partial<AboutRow>): void;
  projection(id: string): ProjectionRow | undefined;
  projections(): readonly ProjectionRow[];
  putProjection(row: ProjectionRow): void;
  dropProjection(id: string): void;
  file(path: string): FileRow | undefined;
  files(): readonly FileRow[];
  /** Rows whose path lies in a range, the end excluded. */
  filesBetween(from: string, to: string): readonly FileRow[];
  putFile(row: FileRow): void;
  dropFile(path: string): void;
  dropFiles(): void;
}

export const coordinatorTables = (db: Database.Database): CoordinatorTables => {
  const about = db.prepare('SELECT * FROM coordinator_about');
  const projection = db.prepare('SELECT * FROM coordinator_projections WHERE id = ?');
  const projections = db.prepare('SELECT * FROM coordinator_projections ORDER BY id');
  const putProjection = db.prepare(
    `INSERT OR REPLACE INTO coordinator_projections (id, version, feed, stage, built_to, cursor, cursor_before, last_event)
     VALUES (@id, @version, @feed, @stage, @built_to, @cursor, @cursor_before, @last_event)`,
  );
  const dropProjection = db.prepare('DELETE FROM coordinator_projections WHERE id = ?');
  const columns = 'path, stamp, hash, kind, held, revision';
  const file = db.prepare(`SELECT ${columns} FROM coordinator_files WHERE path = ?`);
  const files = db.prepare(`SELECT ${columns} FROM coordinator_files`);
  const between = db.prepare(`SELECT ${columns} FROM coordinator_files WHERE path >= ? AND path < ?`);
  const putFile = db.prepare(
    'INSERT OR REPLACE INTO coordinator_files (path, stamp, hash, kind, held, revision) VALUES (@path, @stamp, @hash, @kind, @held, @revision)',
  );
  const dropFile = db.prepare('DELETE FROM coordinator_files WHERE path = ?');
  const dropFiles = db.prepare('DELETE FROM coordinator_files');
  const setters = new Map<string, Database.Statement>();
  return {
    about() {
      const row = about.get() as AboutRow | undefined;
      if (row === undefined) throw new DamagedDatabaseError('the database has lost what it says of itself');
      return row;
    },
    setAbout(values) {
      const names = Object.keys(values);
      const sql = `UPDATE coordinator_about SET ${names.map(name => `${name} = @${name}`).join(', ')}`;
      const statement = setters.get(sql) ?? db.prepare(sql);
      setters.set(sql, statement);
      statement.run(values);
    },
    projection: id => projection.get(id) as ProjectionRow | undefined,
    projections: () => projections.all() as ProjectionRow[],
    putProjection: row => void putProjection.run(row),
    dropProjection: id => void dropProjection.run(id),
    file: path => file.get(path) as FileRow | undefined,
    files: () => files.all() as FileRow[],
    filesBetween: (from, to) => between.all(from, to) as FileRow[],
    putFile: row => void putFile.run(row),
    dropFile: path => void dropFile.run(path),
    dropFiles: () => void dropFiles.run(),
  };
};
