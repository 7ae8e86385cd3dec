import { type Clock, DuplicateKeyError, type IdempotencyRecord, type IdempotencyStore } from '#adapter-contracts';
import type { SharedRow } from './shared-rows.ts';
import type { SharedRowsHandle } from './shared-rows-handle.ts';

/** The event log answers key lookups, so records may go (§6.4). */
const retentionMs = 24 * 60 * 60 * 1000;
const purgeEveryMs = 10 * 60 * 1000;

interface WaitingPut {
  readonly row: SharedRow;
  readonly settle: (failure: unknown) => void;
}

/** The cache of full responses. Puts of one turn share a transaction; a damaged cache is replaced, because the log is the record. */
export const createFsIdempotencyStore = (rows: SharedRowsHandle, clock: Clock): IdempotencyStore => {
  let waiting: WaitingPut[] = [];
  let lastPurge = Number.NEGATIVE_INFINITY;
  const flush = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    try {
      const verdicts = await rows.use(table =>
        table.transact(() => {
          const now = clock.now().getTime();
          if (Math.abs(now - lastPurge) > purgeEveryMs) {
            table.expire(now);
            lastPurge = now;
          }
          return group.map(({ row }) => {
            const stored = table.get(row.scope, row.key);
            if (stored !== null && stored.expires > now && toRecord(stored) !== null)
              return new DuplicateKeyError(`the key '${row.key}' already has a record`);
            table.put(row);
            return null;
          });
        }),
      );
      for (const [at, { settle }] of group.entries()) settle(verdicts[at] ?? null);
    } catch (error) {
      for (const { settle } of group) settle(error);
    }
  };
  return {
    async get(workspaceId, key) {
      const row = await rows.use(table => table.get(workspaceId, key));
      return row === null || row.expires <= clock.now().getTime() ? null : toRecord(row);
    },
    put(workspaceId, key, record) {
      const value = JSON.stringify(record);
      const recorded = Date.parse(record.recorded_at);
      const expires = (Number.isNaN(recorded) ? clock.now().getTime() : recorded) + retentionMs;
      return new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(() => void flush());
        const settle = (failure: unknown): void => (failure === null ? resolve() : reject(failure));
        waiting.push({ row: { scope: workspaceId, key, tag: '', expires, value }, settle });
      });
    },
  };
};

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
