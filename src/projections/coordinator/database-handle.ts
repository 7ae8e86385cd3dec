import { reasonOf } from '#errors';
import { type DerivedDatabase, hasDerivedDatabase, isDamage, openDerivedDatabase, replaceDerivedDatabase } from './derived-database.ts';

/** The database of this process: opened at the first use, and again whenever it vanished. */
export interface DatabaseHandle {
  /** The database as it is now. Throws once the handle is closed. */
  use(): DerivedDatabase;
  /** The database if this machine made one already; makes none. */
  find(): DerivedDatabase | null;
  /** Whether it is open and still there. */
  isOpen(): boolean;
  /** Sets a damaged one aside. */
  replace(): void;
  /** Goes on in memory: the directory does not keep what is put there. */
  giveUp(reason: unknown): void;
  close(): void;
}

/** Whoever deletes the directory in a loop gets this many chances before this process goes on in memory. */
const attempts = 5;

export const createDatabaseHandle = (
  directory: string | null,
  workspaceId: string,
  report: (kind: string, message: string) => void,
): DatabaseHandle => {
  let where = directory;
  let database: DerivedDatabase | null = null;
  let retired: DerivedDatabase | null = null;
  let closed = false;

  const put = (open: typeof openDerivedDatabase): DerivedDatabase => {
    // Whoever is in the middle of something may still use the one before; the one before that is given up.
    close(retired);
    retired = database;
    database = null;
    for (let attempt = 1; ; attempt += 1) {
      try {
        database = open(where, workspaceId);
        return database;
      } catch (error) {
        if (where === null) throw error;
        const vanished = isDamage(error) || isMissing(error);
        if (!vanished || attempt >= attempts) moveToMemory(error);
      }
    }
  };
  const moveToMemory = (reason: unknown): void => {
    report(
      'projections_in_memory',
      `search and graph are kept in memory, anew in every process, because '${where}' cannot be used: ${reasonOf(reason)}`,
    );
    where = null;
  };
  return {
    use() {
      if (closed) throw new Error('The vault is closed.');
      return database?.isCurrent() === true ? database : put(openDerivedDatabase);
    },
    find() {
      if (closed) throw new Error('The vault is closed.');
      if (database?.isCurrent() === true) return database;
      return where !== null && hasDerivedDatabase(where) ? put(openDerivedDatabase) : null;
    },
    isOpen: () => database?.isCurrent() === true,
    replace: () => void put(replaceDerivedDatabase),
    giveUp(reason) {
      if (where !== null) moveToMemory(reason);
      put(openDerivedDatabase);
    },
    close() {
      closed = true;
      close(database);
      close(retired);
      database = null;
      retired = null;
    },
  };
};

const close = (database: DerivedDatabase | null): void => {
  try {
    database?.close();
  } catch {
    // A damaged one may refuse even that; it is disposable.
  }
};

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
