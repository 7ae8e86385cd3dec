import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import {
  type ChildStore,
  eventStoreContract,
  idempotencyStoreContract,
  intentJournalContract,
  leaseStoreContract,
  type OpenOptions,
  vfsContract,
} from '#adapter-contracts/testing';
import { openFsStore } from './open-fs-store.ts';

const lockTimeoutMs = 1_000;
// Syncs cost nothing in memory, and these tests are about what is done, not what it costs.
const scratchDirectory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const openAt = async (root: string, { clock }: OpenOptions, segmentBytes?: number) => {
  const options = { root, workspaceId: 'ws-acme', clock, lockTimeoutMs: 20_000, ...(segmentBytes === undefined ? {} : { segmentBytes }) };
  return { ...(await openFsStore(options)), location: root };
};
const roots: string[] = [];
const freshRoot = (): string => {
  const root = mkdtempSync(join(scratchDirectory, 'sheaf-fs-'));
  roots.push(root);
  return root;
};
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

const multiProcess: ChildStore = {
  module: new URL('../../../dist/stores/fs/index.js', import.meta.url).href,
  factory: 'openFsStore',
  argument: root => ({ root, workspaceId: 'ws-acme' }),
};
const harness = {
  name: 'fs',
  describe,
  test,
  open: (options: OpenOptions) => openAt(freshRoot(), options),
  reopen: (location: string, options: OpenOptions) => openAt(location, options),
  multiProcess,
};

vfsContract({ ...harness, disk: { root: location => location } });
eventStoreContract({
  ...harness,
  logFiles: {
    list: location => {
      const directory = join(location, '.ssss', 'events');
      return readdirSync(directory)
        .sort()
        .map(name => join(directory, name));
    },
    openRotating: options => openAt(freshRoot(), options, 8_192),
  },
});
idempotencyStoreContract(harness);
leaseStoreContract(harness);
const impatient = async (root: string, { clock }: OpenOptions) => ({
  ...(await openFsStore({ root, workspaceId: 'ws-acme', clock, lockTimeoutMs })),
  location: root,
});
intentJournalContract({ ...harness, open: options => impatient(freshRoot(), options), reopen: impatient, lockTimeoutMs });
