import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import {
  createConnection,
  inodeOf,
  isSqliteError,
  machineMark,
  newDatabasePath,
  newestDatabase,
  openConnection,
  removeOlderDatabases,
  sqlite,
} from '#sqlite';
import {
  type CoordinatorTables,
  coordinatorSchema,
  coordinatorTables,
  DamagedDatabaseError,
  databaseLayout,
} from './coordinator-tables.ts';

/** One connection to the database of the derived read models, opened by this process. */
export interface DerivedDatabase {
  readonly connection: Database.Database;
  readonly tables: CoordinatorTables;
  /** Its name in `.ssss/derived`; null in memory. */
  readonly name: string | null;
  /** False once the file was removed or exchanged: what is written now would reach nobody. */
  isCurrent(): boolean;
  close(): void;
}

/**
 * Opens this machine's database in `directory`, or makes an empty one: where there is none, and where the one there is damaged, of another layout or
 * workspace, or came from elsewhere. Null = in memory. Throws what the file system or SQLite says when neither works.
 */
export const openDerivedDatabase = (directory: string | null, workspaceId: string): DerivedDatabase => {
  if (directory === null) return openInMemory(workspaceId);
  requireRealDirectories(directory);
  const found = newestDatabase(directory, prefix());
  return (found === null ? null : openFound(found, workspaceId)) ?? createOnDisk(directory, workspaceId);
};

/** Sets the database there is aside and makes an empty one: for one that turned out to be damaged. */
export const replaceDerivedDatabase = (directory: string | null, workspaceId: string): DerivedDatabase => {
  if (directory === null) return openInMemory(workspaceId);
  requireRealDirectories(directory);
  return createOnDisk(directory, workspaceId);
};

/** Whether `directory` holds a database that this machine seems to have made. */
export const hasDerivedDatabase = (directory: string): boolean => {
  try {
    return newestDatabase(directory, prefix()) !== null;
  } catch {
    // A file, or a directory that may not be read, holds no database of ours; whoever needs one is told why.
    return false;
  }
};

const prefix = (): string => `projections-${machineMark()}`;

/** A link in place of `.ssss/derived` or `.ssss` would lead the database out of the vault. */
const requireRealDirectories = (directory: string): void => {
  for (const each of [dirname(directory), directory]) {
    const found = lstatSync(each, { throwIfNoEntry: false });
    if (found !== undefined && !found.isDirectory()) throw new Error(`'${each}' is no directory of its own; move it away and try again`);
  }
  // Not the directories above it: a vault that was moved away must not begin anew where it was.
  if (!existsSync(directory)) mkdirSync(directory);
};

const openFound = (path: string, workspaceId: string): DerivedDatabase | null => {
  let connection: Database.Database | null = null;
  try {
    connection = openConnection(path);
    const about = connection.prepare('SELECT layout, name, inode, workspace FROM coordinator_about').get() as
      | { layout: unknown; name: unknown; inode: unknown; workspace: unknown }
      | undefined;
    const ours = about?.layout === databaseLayout && about.name === basename(path) && about.inode === inodeOf(path);
    if (ours && about.workspace === workspaceId) return wrap(tuned(connection), path);
  } catch {
    // Whatever is wrong with it, a fresh one loses nothing.
  }
  connection?.close();
  return null;
};

/** Made under another name and then given its own, so that no process ever finds one that is half made. */
const createOnDisk = (directory: string, workspaceId: string): DerivedDatabase => {
  const path = newDatabasePath(directory, prefix());
  const unfinished = `${path}.making`;
  try {
    const connection = createConnection(unfinished);
    try {
      fill(connection, basename(path), inodeOf(unfinished), workspaceId);
    } finally {
      connection.close();
    }
    renameSync(unfinished, path);
  } catch (error) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${unfinished}${suffix}`, { force: true });
    throw error;
  }
  removeOlderDatabases(directory, prefix());
  removeAbandoned(directory);
  return wrap(tuned(openConnection(path)), path);
};

const abandonedMs = 60_000;

/** Takes away what a process left behind that died while it made a database. */
const removeAbandoned = (directory: string): void => {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(prefix()) || !/\.making(-wal|-shm)?$/.test(name)) continue;
    const found = statSync(join(directory, name), { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedMs) rmSync(join(directory, name), { force: true });
  }
};

const openInMemory = (workspaceId: string): DerivedDatabase => {
  const connection = new (sqlite())(':memory:');
  fill(connection, 'memory', 'memory', workspaceId);
  return wrap(connection, null);
};

const fill = (connection: Database.Database, name: string, inode: string, workspaceId: string): void => {
  connection.exec(coordinatorSchema);
  connection
    .prepare(
      `INSERT INTO coordinator_about (one, layout, name, inode, workspace, revision, removals, scanned, manifested)
       VALUES (1, ?, ?, ?, ?, 0, 0, 0, '')`,
    )
    .run(databaseLayout, name, inode, workspaceId);
};

/** Waiting for another process blocks this one wholly, so it is short; whoever writes tries again between turns. */
const busyTimeoutMs = 100;

const tuned = (connection: Database.Database): Database.Database => {
  connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  connection.pragma('cache_size = -16000');
  connection.pragma('temp_store = MEMORY');
  connection.pragma('journal_size_limit = 16777216');
  return connection;
};

const wrap = (connection: Database.Database, path: string | null): DerivedDatabase => {
  const inode = path === null ? 'memory' : inodeOf(path);
  return {
    connection,
    tables: coordinatorTables(connection),
    name: path === null ? null : basename(path),
    isCurrent: () => path === null || inodeAt(path) === inode,
    close: () => connection.close(),
  };
};

/** Null when nothing can be there, also because the directory is a file by now. */
const inodeAt = (path: string): string | null => {
  try {
    return statSync(path, { bigint: true }).ino.toString();
  } catch {
    return null;
  }
};

/**
 * Whether SQLite says that the file is damaged, exchanged or gone, or this process gave it up because of that. A full or failing disk is no damage: a
 * fresh database would not help.
 */
export const isDamage = (error: unknown): boolean =>
  error instanceof DamagedDatabaseError ||
  (error instanceof TypeError && error.message === 'The database connection is not open') ||
  (isSqliteError(error) &&
    (/^SQLITE_(CORRUPT|NOTADB|READONLY|CANTOPEN|IOERR_SHORT_READ|IOERR_VNODE)/.test(error.code) ||
      // SQLITE_ERROR is also what a mistake in a query gives.
      (error.code === 'SQLITE_ERROR' && /no such (table|column)|malformed|vtable constructor failed/.test(error.message))));

export const isBusy = (error: unknown): boolean => isSqliteError(error) && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
