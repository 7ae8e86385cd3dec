import type { Clock, EventStore, IdempotencyStore, LeaseStore, Vfs } from '#adapter-contracts';
import type { FsPlatform } from './fs-platform.ts';
import type { StoreNotice } from './store-notice.ts';
import type { VaultLayout } from './vault-layout.ts';

export interface FsStoreOptions {
  /** The vault's directory; it must exist. */
  readonly root: string;
  readonly workspaceId: string;
  readonly clock?: Clock;
  readonly platform?: FsPlatform;
  /** How long a commit waits for a lock; default 30 s. */
  readonly lockTimeoutMs?: number;
  /** Size at which a log segment is full; default 32 MiB. */
  readonly segmentBytes?: number;
  /** Writes nothing anywhere in the vault. */
  readonly readOnly?: boolean;
}

/** What a store did since it was opened, for whoever watches over it. */
interface StoreActivity {
  /** How many commits ran together → how often so many did. */
  readonly batchSizes: ReadonlyMap<number, number>;
  /** Events that are durable in the log and not yet in the event index. */
  readonly unindexedEvents: number;
}

/** A vault on disk, shared safely by any number of processes. */
export interface FsStore {
  readonly workspaceId: string;
  /** False where nothing may be written: asked for so, or locks do not work there, or the user may not. */
  readonly writable: boolean;
  readonly vfs: Vfs;
  readonly events: EventStore;
  readonly idempotency: IdempotencyStore;
  readonly leases: LeaseStore;
  /** What the store noticed since it was opened. */
  notices(): readonly StoreNotice[];
  /** What it did and owes since it was opened. */
  activity(): StoreActivity;
  /** Finishes what is under way and frees every lock and descriptor. */
  close(): Promise<void>;
}

/** What an opened store is made from. */
export interface StoreSettings {
  readonly platform: FsPlatform;
  readonly clock: Clock;
  readonly workspaceId: string;
  readonly layout: VaultLayout;
  readonly lockTimeoutMs: number;
  readonly segmentBytes: number;
}

/** What a way of opening supplies. */
export type StoreParts = Omit<FsStore, 'notices' | 'workspaceId' | 'writable'>;
