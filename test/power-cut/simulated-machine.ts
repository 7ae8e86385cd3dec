import {
  createMemoryFileLocks,
  createMemoryFileSystem,
  type MemoryFileSystem,
  type Random,
  seededRandom,
} from '#adapter-contracts/testing';
import { type EventIndex, EventIndexDamagedError, type FsPlatform } from '#stores/fs';
import { createSimulatedIndex, type SimulatedIndex } from './simulated-index.ts';
import { createSimulatedRows, type SimulatedRows } from './simulated-rows.ts';
import { type Lie, type WatchedCalls, watchedFileSystem } from './watched-file-system.ts';

export const vaultRoot = '/vault';

/** Runs before every call that reaches the disk, and may end the process that makes it. */
export type BeforeCall = (process: SimulatedProcess) => void;

export interface SimulatedProcess {
  readonly name: string;
  readonly platform: FsPlatform;
  readonly isAlive: () => boolean;
  /** As `kill -9`: its locks are freed, its transactions end, and nothing it still tries has any effect. */
  die(): void;
}

/** A disk with everything that is shared over it: locks, the event index, leases and remembered answers. */
export interface SimulatedMachine {
  start(options: { readonly random: Random; readonly before?: BeforeCall; readonly lie?: Lie }): SimulatedProcess;
  /** Another machine with what a power cut at this moment would leave, the same for the same seed; this one goes on undisturbed. */
  afterPowerCut(seed: number): SimulatedMachine;
  /** No lease was lost on the way here. */
  readonly leasesComplete: boolean;
}

interface Databases {
  /** Newest last; a database that was set aside can come back at a power cut, because its name is never synced. */
  readonly indexes: readonly SimulatedIndex[];
  readonly rows: ReadonlyMap<string, SimulatedRows>;
  readonly leasesComplete: boolean;
}

export const createMachine = (): SimulatedMachine => {
  const disk = createMemoryFileSystem();
  disk.fileSystem.makeDirectory(vaultRoot);
  disk.fileSystem.syncDirectorySync('/');
  return machineOver(disk, { indexes: [], rows: new Map(), leasesComplete: true });
};

const machineOver = (disk: MemoryFileSystem, found: Databases): SimulatedMachine => {
  const locks = createMemoryFileLocks(disk);
  const indexes = [...found.indexes];
  const rows = new Map(found.rows);
  let processes = 0;
  const { leasesComplete } = found;
  return {
    leasesComplete,
    start(options) {
      processes += 1;
      return startProcess(`process ${processes}`, options, { disk, locks, indexes, rows });
    },
    afterPowerCut(seed) {
      const random = seededRandom(seed);
      const left = disk.afterPowerCut({ seed, ...diskFate(random) });
      return machineOver(left, databasesAfterCut(random, { indexes, rows, leasesComplete }));
    },
  };
};

/** Now and then everything that was not synced shares one fate; else each change has its own. */
const diskFate = (random: Random): { readonly keep?: () => number } => {
  const roll = random();
  if (roll < 0.2) return { keep: () => 0 };
  return roll < 0.35 ? { keep: () => 1 } : {};
};

/**
 * What a power cut leaves of databases that are not synced at every commit: nothing, an earlier state, or all of it. SQLite promises that what is
 * left is whole: the first so many transactions.
 */
const survivors = <T>(transactions: readonly T[], random: Random): readonly T[] | null => {
  const roll = random();
  if (roll < 0.2) return null;
  return roll < 0.6 ? transactions.slice(0, Math.floor(random() * (transactions.length + 1))) : transactions;
};

const databasesAfterCut = (random: Random, { indexes, rows, leasesComplete }: Databases): Databases => {
  const left = indexes.slice(0, indexes.length > 1 && random() < 0.3 ? -1 : undefined).flatMap(index => {
    const transactions = survivors(index.transactions, random);
    return transactions === null ? [] : [createSimulatedIndex(transactions)];
  });
  const tables = new Map<string, SimulatedRows>();
  for (const [name, table] of rows) {
    const transactions = survivors(table.transactions, random);
    if (transactions !== null) tables.set(name, createSimulatedRows(transactions));
  }
  const kept = tables.get('leases')?.transactions.length ?? 0;
  return { indexes: left, rows: tables, leasesComplete: leasesComplete && kept === (rows.get('leases')?.transactions.length ?? 0) };
};

interface SharedState {
  readonly disk: MemoryFileSystem;
  readonly locks: ReturnType<typeof createMemoryFileLocks>;
  readonly indexes: SimulatedIndex[];
  readonly rows: Map<string, SimulatedRows>;
}

const startProcess = (
  name: string,
  { random, before = () => undefined, lie = {} }: Parameters<SimulatedMachine['start']>[0],
  shared: SharedState,
): SimulatedProcess => {
  let alive = true;
  const opened: OpenedIndex[] = [];
  const reading = (): void => {
    if (!alive) throw new Error(`${name} is dead`);
  };
  const changing = (): void => {
    reading();
    before(process);
    reading();
  };
  const calls: WatchedCalls = { reading, changing, isAlive: () => alive, random };
  const fs = watchedFileSystem(shared.disk.fileSystem, calls, lie);
  const own = shared.locks.ownedBy(name);
  const process: SimulatedProcess = {
    name,
    platform: {
      fs,
      // A lock that a dead process seems to get leads it to its next call, where it ends.
      locks: {
        tryLock: (fd, offset) => !alive || lie.lock?.(fs.pathOf(fd)) === true || own.tryLock(fd, offset),
        unlock: (fd, offset) => {
          if (alive) own.unlock(fd, offset);
        },
      },
      ...indexesOf(shared.indexes, calls, opened),
      ...rowsOf(shared.rows, calls),
    },
    isAlive: () => alive,
    die() {
      alive = false;
      shared.locks.release(name);
      for (const { database, index } of opened) database.rollBack(index);
    },
  };
  return process;
};

interface OpenedIndex {
  readonly database: SimulatedIndex;
  readonly index: EventIndex;
}

const indexesOf = (
  indexes: SimulatedIndex[],
  { reading, changing }: WatchedCalls,
  opened: OpenedIndex[],
): Pick<FsPlatform, 'findIndex' | 'createIndex'> => {
  const open = (database: SimulatedIndex): EventIndex => {
    const index = database.open(changing);
    opened.push({ database, index });
    return index;
  };
  return {
    findIndex() {
      reading();
      const newest = indexes.at(-1);
      return newest === undefined ? null : open(newest);
    },
    createIndex(directory) {
      if (directory === null) throw new EventIndexDamagedError('only indexes on the disk are simulated');
      changing();
      const database = createSimulatedIndex();
      indexes.push(database);
      return open(database);
    },
  };
};

const rowsOf = (rows: Map<string, SimulatedRows>, { reading, changing }: WatchedCalls): Pick<FsPlatform, 'findRows' | 'openRows'> => ({
  findRows(_directory, name) {
    reading();
    return rows.get(name)?.open(changing) ?? null;
  },
  openRows(_directory, name, { fresh }) {
    changing();
    const found = rows.get(name);
    if (found !== undefined && !fresh) return found.open(changing);
    found?.setAside();
    const created = createSimulatedRows();
    rows.set(name, created);
    return created.open(changing);
  },
});
