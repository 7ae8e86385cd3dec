import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Random, seededRandom } from '#adapter-contracts/testing';
import { openFsStore } from '#stores/fs';
import { createMemoryStore, type MemoryStore } from '#stores/memory';
import { type Deed, record, scripts } from './concurrent-callers.ts';
import { patience, runs, seed } from './envelopes-of-commands.ts';
import { type HarnessOptions, openHarness } from './kernel-harness.ts';
import { unexplained } from './linearizability.ts';
import { temporaryDirectory } from './model-stores.ts';

const explained = async (history: ReturnType<typeof record>): Promise<void> => {
  const { calls, log } = await history;
  expect(unexplained(calls, log)).toBeNull();
};

/** The same calls, each some turns later and its answer some turns later still, so that others come between. */
const dawdling = <T extends object>(target: T, methods: readonly (keyof T & string)[], random: Random): T => {
  const dawdle = async (): Promise<void> => {
    for (let turns = Math.floor(random() * 12); turns > 0; turns -= 1) await Promise.resolve();
  };
  const slowed = methods.map(name => {
    const method = (target[name] as (...given: unknown[]) => Promise<unknown>).bind(target);
    const slow = async (...given: unknown[]): Promise<unknown> => {
      await dawdle();
      const result = await method(...given);
      await dawdle();
      return result;
    };
    return [name, slow] as const;
  });
  return { ...target, ...Object.fromEntries(slowed) };
};

const dawdlingStore = (random: Random, store = createMemoryStore()): MemoryStore => ({
  vfs: dawdling(store.vfs, ['read', 'writeAtomic', 'remove', 'findTwin'], random),
  events: dawdling(store.events, ['append', 'findByIdempotencyKey', 'findById', 'lastRecorded'], random),
  idempotency: dawdling(store.idempotency, ['get', 'put'], random),
  leases: dawdling(store.leases, ['acquire', 'verify', 'release'], random),
});

const schedule = fc.integer({ min: 0, max: 2 ** 31 });

test(`on the memory store some order explains every answer to callers at once (seed ${seed})`, patience, () =>
  fc.assert(
    fc.asyncProperty(scripts, schedule, (callers, turns) =>
      explained(record([openHarness({ store: dawdlingStore(seededRandom(turns)) })], callers)),
    ),
    runs(400),
  ),
);

const onDisk = async (
  stores: number,
  callers: readonly (readonly Deed[])[],
  adapt: HarnessOptions['adapt'] = () => ({}),
): Promise<void> => {
  const root = temporaryDirectory();
  const open = await Promise.all(Array.from({ length: stores }, () => openFsStore({ root, workspaceId: 'ws-a' })));
  try {
    await explained(
      record(
        open.map(store => openHarness({ store, adapt })),
        callers,
      ),
    );
  } finally {
    for (const store of open) await store.close();
    rmSync(root, { recursive: true, force: true });
  }
};

test(`on the disk some order explains every answer to callers at once (seed ${seed})`, patience, () =>
  fc.assert(
    fc.asyncProperty(scripts, callers => onDisk(1, callers)),
    { ...runs(100), endOnFailure: true },
  ),
);

test(`two kernels over two stores on one directory answer as one (seed ${seed})`, patience, () =>
  fc.assert(
    fc.asyncProperty(scripts, callers => onDisk(2, callers)),
    { ...runs(100), endOnFailure: true },
  ),
);

/** Stores what it is given, whatever stands there: it swaps without comparing. */
const swapping = (store: MemoryStore): MemoryStore['vfs'] => ({
  ...store.vfs,
  async writeAtomic(path, bytes) {
    const now = await store.vfs.read(path);
    return store.vfs.writeAtomic(path, bytes, now === null ? { ifAbsent: true } : { version: now.version });
  },
  async remove(path, expected) {
    const now = await store.vfs.read(path);
    if (now !== null) await store.vfs.remove(path, { version: now.version });
    else await store.vfs.remove(path, expected);
  },
});

test('a store that swaps without comparing is found out', patience, async () => {
  const property = fc.asyncProperty(scripts, schedule, (callers, turns) => {
    const store = dawdlingStore(seededRandom(turns));
    return explained(record([openHarness({ store, adapt: () => ({ vfs: swapping(store) }) })], callers));
  });
  const { failed, error } = { error: '', ...(await fc.check(property, { seed, numRuns: 400, endOnFailure: true })) };
  expect({ failed, error }).toMatchObject({ failed: true });
});

test('kernels that share a directory but no locks are found out', patience, async () => {
  const unlocked: HarnessOptions['adapt'] = ({ vfs }) => {
    const rest = { ...vfs };
    delete rest.intentJournal;
    return { vfs: rest };
  };
  const property = fc.asyncProperty(scripts, callers => onDisk(2, callers, unlocked));
  const { failed, numRuns } = await fc.check(property, { seed, numRuns: 2000, endOnFailure: true });
  expect({ failed, numRuns }).toMatchObject({ failed: true });
});
