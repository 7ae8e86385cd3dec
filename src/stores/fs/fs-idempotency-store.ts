import { type Clock, DuplicateKeyError, type IdempotencyRecord, type IdempotencyStore } from '#adapter-contracts';
import type { SharedRow, SharedRows } from './shared-rows.ts';
import type { SharedRowsHandle } from './shared-rows-handle.ts';

/** The event log answers key lookups, so records may go (§6.4). */
const retentionMs = 24 * 60 * 60 * 1000;
const purgeEveryMs = 10 * 60 * 1000;

// So many records of committed envelopes share a transaction.
const manyWaiting = 64;

interface WaitingPut {
  readonly row: SharedRow;
  readonly settle: (failure: unknown) => void;
}

/** The cache of full responses; `close` stores what still waits. */
export interface FsIdempotencyStore extends IdempotencyStore {
  close(): Promise<void>;
}

/**
 * The cache of full responses. The log answers for every committed envelope, so their records may wait and may be lost with the process; a record
 * that only this cache holds is stored before its `put` ends. A damaged cache is replaced.
 */
export const createFsIdempotencyStore = (rows: SharedRowsHandle, clock: Clock): FsIdempotencyStore => {
  const late = createLateRows(rows, clock);
  let waiting: WaitingPut[] = [];
  const flush = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    try {
      const failures = await rows.use(table => storeRows(table, clock, [...late.take(), ...group.map(({ row }) => row)]));
      for (const { row, settle } of group) settle(failures.has(row) ? duplicate(row.key) : null);
    } catch (error) {
      for (const { settle } of group) settle(error);
    }
  };
  return {
    async get(workspaceId, key) {
      const row = late.find(workspaceId, key) ?? (await rows.use(table => table.get(workspaceId, key)));
      return row === null ? null : currentRecord(row, clock);
    },
    async put(workspaceId, key, record) {
      const recorded = Date.parse(record.recorded_at);
      const expires = (Number.isNaN(recorded) ? clock.now().getTime() : recorded) + retentionMs;
      const row = { scope: workspaceId, key, tag: '', expires, value: JSON.stringify(record) };
      if (late.find(workspaceId, key) !== null) throw duplicate(key);
      if (isInLog(record)) {
        const stored = await rows.use(table => table.get(workspaceId, key));
        if (stored !== null && currentRecord(stored, clock) !== null) throw duplicate(key);
        if (late.add(row)) return;
      }
      await new Promise<void>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(() => void flush());
        waiting.push({ row, settle: failure => (failure === null ? resolve() : reject(failure as Error)) });
      });
    },
    close: () => late.flush(),
  };
};

interface LateRows {
  find(scope: string, key: string): SharedRow | null;
  /** False when they cannot be stored at the moment: then the caller must, and hears why. */
  add(row: SharedRow): boolean;
  /** Hands them over to a transaction that is under way anyway. */
  take(): readonly SharedRow[];
  /** Never throws: what cannot be stored is dropped, and the log answers. */
  flush(): Promise<void>;
}

const createLateRows = (rows: SharedRowsHandle, clock: Clock): LateRows => {
  let late = new Map<string, SharedRow>();
  let failing = false;
  const take = (): readonly SharedRow[] => {
    const taken = [...late.values()];
    late = new Map();
    return taken;
  };
  const flush = async (): Promise<void> => {
    const taken = take();
    if (taken.length === 0) return;
    try {
      await rows.use(table => storeRows(table, clock, taken));
      failing = false;
    } catch {
      failing = true;
    }
  };
  return {
    find: (scope, key) => late.get(`${scope}\0${key}`) ?? null,
    add(row) {
      if (failing) {
        failing = false;
        return false;
      }
      late.set(`${row.scope}\0${row.key}`, row);
      if (late.size >= manyWaiting) void flush();
      return true;
    },
    take,
    flush,
  };
};

/** Stores rows in one transaction; returns those whose key has a record already. */
const storeRows = (table: SharedRows, clock: Clock, group: readonly SharedRow[]): ReadonlySet<SharedRow> =>
  table.transact(() => {
    const refused = new Set<SharedRow>();
    purge(table, clock);
    for (const row of group) {
      const stored = table.get(row.scope, row.key);
      if (stored !== null && currentRecord(stored, clock) !== null) refused.add(row);
      else table.put(row);
    }
    return refused;
  });

const lastPurges = new WeakMap<SharedRows, number>();

const purge = (table: SharedRows, clock: Clock): void => {
  const now = clock.now().getTime();
  if (Math.abs(now - (lastPurges.get(table) ?? Number.NEGATIVE_INFINITY)) <= purgeEveryMs) return;
  table.expire(now);
  lastPurges.set(table, now);
};

const duplicate = (key: string): DuplicateKeyError => new DuplicateKeyError(`the key '${key}' already has a record`);

const currentRecord = (row: SharedRow, clock: Clock): IdempotencyRecord | null =>
  row.expires <= clock.now().getTime() ? null : toRecord(row);

/** Whether the envelope was committed, so that its event carries the key. */
const isInLog = ({ response }: IdempotencyRecord): boolean =>
  typeof response === 'object' && response !== null && 'event_id' in response && typeof response.event_id === 'string';

/** null for a row that is no record: it counts as absent, and the log decides. */
const toRecord = ({ value }: SharedRow): IdempotencyRecord | null => {
  try {
    const record = JSON.parse(value) as unknown;
    return isRecord(record) ? record : null;
  } catch {
    return null;
  }
};

const isRecord = (value: unknown): value is IdempotencyRecord =>
  typeof value === 'object' &&
  value !== null &&
  'request_hash' in value &&
  typeof value.request_hash === 'string' &&
  'recorded_at' in value &&
  typeof value.recorded_at === 'string' &&
  'response' in value;
