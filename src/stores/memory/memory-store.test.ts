import { describe, test } from 'vitest';
import {
  eventStoreContract,
  idempotencyStoreContract,
  leaseStoreContract,
  type OpenOptions,
  vfsContract,
} from '#adapter-contracts/testing';
import { createMemoryStore } from './create-memory-store.ts';

const harness = { name: 'memory', describe, test, open: async (options: OpenOptions) => createMemoryStore(options) };

vfsContract(harness);
eventStoreContract(harness);
idempotencyStoreContract(harness);
leaseStoreContract(harness);
