import { describe, test } from 'vitest';
import { eventStoreContract, idempotencyStoreContract, leaseStoreContract } from '#adapter-contracts/testing';
import { createMemoryStore } from './create-memory-store.ts';

const harness = {
  name: 'memory',
  describe,
  test,
  open: async (options: Parameters<typeof createMemoryStore>[0]) => createMemoryStore(options),
};

eventStoreContract(harness);
idempotencyStoreContract(harness);
leaseStoreContract(harness);
