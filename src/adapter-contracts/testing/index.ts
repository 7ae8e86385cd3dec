export type { OpenOptions } from './contract-harness.ts';
export { eventStoreContract } from './event-store-contract.ts';
export { idempotencyStoreContract } from './idempotency-store-contract.ts';
export { leaseStoreContract } from './lease-store-contract.ts';
export { vfsContract } from './vfs-contract.ts';
