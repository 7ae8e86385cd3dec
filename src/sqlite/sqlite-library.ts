import { createRequire } from 'node:module';
import type BetterSqlite from 'better-sqlite3';

type Library = typeof BetterSqlite;

let library: Library | null = null;

/** better-sqlite3, loaded on first use: what reads plain files only works where the native module is missing. */
export const sqlite = (): Library => {
  library ??= createRequire(import.meta.url)('better-sqlite3') as Library;
  return library;
};

/** Whether SQLite itself failed. */
export const isSqliteError = (error: unknown): error is InstanceType<Library['SqliteError']> =>
  library !== null && error instanceof library.SqliteError;
