import { DuplicateKeyError, type IdempotencyRecord, type IdempotencyStore } from '#adapter-contracts';
import { immutableCopy } from './immutable-copy.ts';

/** The idempotency store of a memory workspace (§6.4, §6.7). Keeps every record: `unchanged` responses live nowhere else. */
export const createMemoryIdempotencyStore = (): IdempotencyStore => {
  const records = new Map<string, IdempotencyRecord>();
  // Workspaces and keys are opaque strings, so the pair is joined by a form that no other pair can produce.
  const slot = (workspaceId: string, key: string) => JSON.stringify([workspaceId, key]);
  return {
    async get(workspaceId, key) {
      return records.get(slot(workspaceId, key)) ?? null;
    },
    async put(workspaceId, key, record) {
      const name = slot(workspaceId, key);
      if (records.has(name)) throw new DuplicateKeyError(`a response is already recorded under the key '${key}'`);
      records.set(name, immutableCopy(record));
    },
  };
};
