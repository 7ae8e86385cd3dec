export { createMemoryStore, type MemoryStore } from './create-memory-store.ts';
