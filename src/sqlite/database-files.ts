import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { v7 as uuidv7 } from 'uuid';
import { isSqliteError, sqlite } from './sqlite-library.ts';

/**
 * SQLite removes `<file>-wal` by name when the last connection closes. A database that was deleted or set aside while a process had it open must
 * therefore never get a successor of the same name: each gets a time-ordered name of its own, and the newest counts.
 */
export const newestDatabase = (directory: string, prefix: string): string | null =>
  existsSync(directory) ? (databases(directory, prefix).at(-1) ?? null) : null;

/** A name behind all others. The time is only where it starts: a clock that was set back must not bring the replaced database back. */
export const newDatabasePath = (directory: string, prefix: string): string => {
  const named = (msecs: number): string => join(directory, `${prefix}-${uuidv7({ msecs })}.sqlite`);
  const newest = newestDatabase(directory, prefix);
  const path = named(Date.now());
  return newest === null || path > newest ? path : named(timeIn(newest) + 1);
};

/** The 48 bits of time that begin a version 7 UUID. */
const timeIn = (path: string): number => Number.parseInt(path.slice(-uuidAndSuffix).replaceAll('-', '').slice(0, 12), 16);

const uuidAndSuffix = 36 + '.sqlite'.length;

/** Removes all but the newest database of this prefix; one that is still open elsewhere stays usable there. */
export const removeOlderDatabases = (directory: string, prefix: string): void => {
  for (const path of databases(directory, prefix).slice(0, -1)) {
    try {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    } catch {
      // Windows keeps open files; the next opening removes it.
    }
  }
};

/** Files only: SQLite follows a link, and makes an empty database where it leads. */
const databases = (directory: string, prefix: string): readonly string[] => {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.sqlite$/;
  return readdirSync(directory, { withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.startsWith(`${prefix}-`) && uuid.test(entry.name.slice(prefix.length + 1)))
    .map(entry => join(directory, entry.name))
    .sort();
};

/** A connection to an existing database. NORMAL: no sync per commit, nothing here is the record. */
export const openConnection = (path: string): Database.Database => {
  const connection = new (sqlite())(path, { timeout: 10_000 });
  connection.pragma('synchronous = NORMAL');
  return connection;
};

/**
 * A connection to a database that is new, or may be. WAL, which the file remembers: readers and the writer do not wait for each other. Two processes
 * that switch one file to WAL at once fail, hence under a lock.
 */
export const createConnection = (path: string): Database.Database => {
  const connection = openConnection(path);
  try {
    connection.pragma('journal_mode = WAL');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
};

/** Runs `work`; what SQLite says about a damaged or vanished file becomes `toError`. */
export const translatingDamage = <T>(work: () => T, toError: (cause: unknown) => Error): T => {
  try {
    return work();
  } catch (error) {
    // A full or failing disk is no damage: a fresh database would not help.
    if (isSqliteError(error) && /^SQLITE_(CORRUPT|NOTADB|ERROR|READONLY|CANTOPEN)/.test(error.code)) throw toError(error);
    throw error;
  }
};
