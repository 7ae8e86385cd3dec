import { type Clock, type EventStore, type IdempotencyStore, type LeaseStore, systemClock, type Vfs } from '#adapter-contracts';
import { createMemoryEventStore } from './memory-event-store.ts';
import { createMemoryIdempotencyStore } from './memory-idempotency-store.ts';
import { createMemoryLeaseStore } from './memory-lease-store.ts';
import { createMemoryVfs } from './memory-vfs.ts';

export interface MemoryStore {
  readonly vfs: Vfs;
  readonly events: EventStore;
  readonly idempotency: IdempotencyStore;
  readonly leases: LeaseStore;
}

/**
 * One workspace that lives as long as the process: for tests and for embedding. Its VFS offers no intent journal, because nothing outlives a
 * crash that could stand ahead of the log (§6.3).
 *
 * @example const { vfs, events, idempotency, leases } = createMemoryStore();
 */
export const createMemoryStore = (options: { readonly clock?: Clock } = {}): MemoryStore => ({
  vfs: createMemoryVfs(),
  events: createMemoryEventStore(),
  idempotency: createMemoryIdempotencyStore(),
  leases: createMemoryLeaseStore(options.clock ?? systemClock),
});
