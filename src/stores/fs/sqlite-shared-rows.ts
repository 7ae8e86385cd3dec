import { existsSync, readFileSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { createConnection, newDatabasePath, newestDatabase, openConnection, sqlite, translatingDamage } from '#sqlite';
import { type SharedRow, type SharedRows, SharedRowsDamagedError } from './shared-rows.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS rows (scope TEXT NOT NULL, key TEXT NOT NULL, tag TEXT NOT NULL, expires REAL NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (scope, key)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS rows_by_expiry ON rows (expires);
  CREATE INDEX IF NOT EXISTS rows_by_tag ON rows (tag) WHERE tag <> '';`;

/** See `FsPlatform.findRows`. */
export const findSqliteSharedRows = (directory: string, name: string): SharedRows | null => {
  const path = newestDatabase(directory, name);
  if (path === null) return null;
  let connection: Database.Database | null = null;
  try {
    connection = openConnection(path);
    return wrap(connection, path);
  } catch {
    // Damaged, or just being made: opening it under the lock will tell.
    connection?.close();
    return null;
  }
};

/** See `FsPlatform.openRows`. */
export const openSqliteSharedRows = (directory: string, name: string, { fresh }: { readonly fresh: boolean }): SharedRows => {
  const path = (fresh ? null : newestDatabase(directory, name)) ?? newDatabasePath(directory, name);
  return translatingDamage(() => {
    const connection = createConnection(path);
    try {
      connection.exec(schema);
      return wrap(connection, path);
    } catch (error) {
      connection.close();
      throw error;
    }
  }, damaged(path));
};

/** See `FsPlatform.copyRows`. */
export const copySqliteSharedRows = (directory: string, name: string): SharedRows | null => {
  const path = newestDatabase(directory, name);
  if (path === null) return null;
  return translatingDamage(() => {
    const copy = isAtRest(path) ? readFileSync(path) : null;
    // Looked at again: somebody may have begun to write meanwhile.
    const connection = copy !== null && isAtRest(path) ? inMemory(copy) : new (sqlite())(path, { readonly: true, timeout: 10_000 });
    return wrap(connection, path);
  }, damaged(path));
};

/** Nobody has it open: everything is in the one file, and SQLite would want to make two more only to read it. */
const isAtRest = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;

/** A copy in memory cannot be in WAL mode, which two bytes of the header say. */
const inMemory = (bytes: Buffer): Database.Database => {
  bytes.fill(1, 18, 20);
  return new (sqlite())(bytes);
};

const damaged =
  (path: string) =>
  (cause: unknown): Error => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new SharedRowsDamagedError(`'${path}' cannot be read (${reason}); remove it when nothing else uses the vault`, { cause });
  };

const wrap = (connection: Database.Database, path: string): SharedRows => {
  const get = connection.prepare('SELECT scope, key, tag, expires, value FROM rows WHERE scope = ? AND key = ?');
  const byTag = connection.prepare("SELECT scope, key, tag, expires, value FROM rows WHERE tag = ? AND tag <> ''");
  const list = connection.prepare('SELECT scope, key, tag, expires, value FROM rows WHERE scope = ? ORDER BY key');
  const put = connection.prepare('INSERT OR REPLACE INTO rows (scope, key, tag, expires, value) VALUES (?, ?, ?, ?, ?)');
  const remove = connection.prepare('DELETE FROM rows WHERE scope = ? AND key = ?');
  const expire = connection.prepare('DELETE FROM rows WHERE expires <= ?');
  const guard = <T>(work: () => T): T => translatingDamage(work, damaged(path));
  return {
    transact: <T>(work: () => T): T => guard(() => connection.transaction(work).immediate()),
    get: (scope, key) => guard(() => (get.get(scope, key) as SharedRow | undefined) ?? null),
    findByTag: tag => guard(() => (byTag.get(tag) as SharedRow | undefined) ?? null),
    list: scope => guard(() => list.all(scope) as SharedRow[]),
    put: ({ scope, key, tag, expires, value }) => guard(() => void put.run(scope, key, tag, expires, value)),
    delete: (scope, key) => guard(() => void remove.run(scope, key)),
    expire: moment => guard(() => void expire.run(moment)),
    isCurrent: () => existsSync(path),
    close: () => connection.close(),
  };
};
