// The stores that the model is compared with, each with the mishaps a store can have.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#adapter-contracts';
import { openFsStore } from '#stores/fs';
import { createMemoryStore, type MemoryStore } from '#stores/memory';

export interface StorePlace {
  /** The store, opened anew whenever that means something. */
  open(): Promise<MemoryStore>;
  /** The same content without any idempotency record. */
  openForgetful(): Promise<MemoryStore>;
  end(): Promise<void>;
}

export const memoryPlace = (clock: Clock): StorePlace => {
  let store = createMemoryStore({ clock });
  return {
    open: async () => store,
    async openForgetful() {
      store = { ...store, idempotency: createMemoryStore().idempotency };
      return store;
    },
    end: async () => undefined,
  };
};

/** A directory in memory where the machine has one: the model is about answers, not about what survives a power cut. */
export const temporaryDirectory = (): string => mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sheaf-model-'));

export const fsPlace = (clock: Clock): StorePlace => {
  const root = temporaryDirectory();
  let close = async (): Promise<void> => undefined;
  const open = async (): Promise<MemoryStore> => {
    await close();
    const store = await openFsStore({ root, workspaceId: 'ws-a', clock });
    close = () => store.close();
    return store;
  };
  return {
    open,
    async openForgetful() {
      await close();
      close = async () => undefined;
      const coordination = join(root, '.ssss', 'coordination');
      const records = existsSync(coordination) ? readdirSync(coordination).filter(name => name.startsWith('idempotency')) : [];
      for (const name of records) rmSync(join(coordination, name), { recursive: true });
      return open();
    },
    async end() {
      await close();
      rmSync(root, { recursive: true, force: true });
    },
  };
};
