import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FileSystem, UnknownAppendOutcomeError } from '#adapter-contracts';
import {
  createFaultyFileSystem,
  createMemoryFileLocks,
  createMemoryFileSystem,
  type FaultPlan,
  type PowerCut,
  sampleEvent,
} from '#adapter-contracts/testing';
import { committing, recover, replayed, textAt } from './commit-fixture.ts';
import { nodePlatform } from './fs-platform.ts';
import type { FsStore } from './fs-store.ts';
import { openFsStore } from './open-fs-store.ts';

const commit = committing(sampleEvent);
const root = '/vault';
// The index is rebuilt from the log at every opening: it is disposable, and SQLite does not run on a simulated disk.
let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sheaf-crash-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const createMachine = () => {
  const disk = createMemoryFileSystem();
  const locks = createMemoryFileLocks(disk);
  disk.fileSystem.makeDirectory(root);
  disk.fileSystem.syncDirectorySync('/');
  let processes = 0;
  return {
    disk,
    /** Opens the store in a process of its own, over the disk as `fileSystem` shows it. */
    async open(fileSystem: FileSystem = disk.fileSystem) {
      processes += 1;
      const owner = `process ${processes}`;
      const platform = {
        ...nodePlatform,
        fs: fileSystem,
        locks: locks.ownedBy(owner),
        findIndex: () => null,
        createIndex: () => nodePlatform.createIndex(scratch),
      };
      const store = await openFsStore({ root, workspaceId: 'ws-acme', platform, lockTimeoutMs: 300, segmentBytes: 3_000 });
      return { store, die: () => locks.release(owner) };
    },
  };
};

interface Told {
  readonly path: string;
  readonly text: string | null;
  /** null: the commit failed, or nobody heard of it. */
  readonly eventId: string | null;
  readonly tried: string;
}

const attempt = async (store: FsStore, path: string, text: string | null, told: Told[]): Promise<void> => {
  let tried = '';
  const made = await committing(overrides => {
    const event = sampleEvent(overrides);
    tried = event.event_id;
    return event;
  })(store, path, text).catch(() => null);
  told.push({ path, text, eventId: made?.event_id ?? null, tried });
};

/** Creates, replaces, deep creates, a batch, and a delete: every kind of commit, each path with one life. */
const workload = async (store: FsStore): Promise<readonly Told[]> => {
  const told: Told[] = [];
  await attempt(store, 'a.md', 'a1', told);
  await attempt(store, 'a.md', 'a2', told);
  await attempt(store, 'deep/er/b.md', 'b1', told);
  await Promise.all([
    attempt(store, 'c.md', 'c1', told),
    attempt(store, 'a.md', 'a3', told),
    attempt(store, 'deep/d.md', 'd1', told),
    attempt(store, 'new/e.md', 'e1', told),
  ]);
  await attempt(store, 'c.md', null, told);
  await attempt(store, 'deep/er/b.md', 'b2', told);
  return told;
};

/** What must hold however the disk behaved: every acknowledged commit is in the log, and every document says what the log says. */
const assertConsistent = async (store: FsStore, told: readonly Told[], context: string): Promise<void> => {
  const events = await replayed(store);
  const ids = events.map(event => event.event_id);
  expect(new Set(ids).size, context).toBe(ids.length);
  for (const { eventId } of told) if (eventId !== null) expect(ids, context).toContain(eventId);
  for (const path of new Set(told.map(entry => entry.path))) {
    const last = events.filter(event => event.subject === path).at(-1);
    expect((await store.vfs.read(path))?.hash ?? null, `${context}: ${path}`).toBe(last?.after_hash ?? null);
  }
  for (const event of events)
    expect(
      told.map(entry => entry.tried),
      context,
    ).toContain(event.event_id);
};

const countCalls = async (): Promise<number> => {
  const machine = createMachine();
  const counting = createFaultyFileSystem(machine.disk.fileSystem);
  const { store } = await machine.open(counting.fileSystem);
  await workload(store);
  await store.close();
  return counting.calls().length;
};

/** Runs the workload with a fault, and returns what its callers were told; the process ends with it. */
const runWithFault = async (machine: ReturnType<typeof createMachine>, plan: FaultPlan): Promise<readonly Told[]> => {
  const faulty = createFaultyFileSystem(machine.disk.fileSystem, plan);
  const opened = await machine.open(faulty.fileSystem).catch(() => null);
  if (opened === null) return [];
  const told = await workload(opened.store);
  await opened.store.close().catch(() => undefined);
  opened.die();
  return told;
};

test('dying at any call leaves nothing that recovery cannot put right', async () => {
  const calls = await countCalls();
  expect(calls).toBeGreaterThan(60);
  for (let failAt = 1; failAt <= calls; failAt += 1) {
    const machine = createMachine();
    const told = await runWithFault(machine, { failAt, afterwards: 'dead', tornShare: 0.5 });
    const after = await machine.open();
    await recover(after.store);
    await assertConsistent(after.store, told, `dead at call ${failAt}`);
    expect(await recover(after.store), `dead at call ${failAt}`).toEqual([]);
    after.die();
    // What recovery decided on must itself have been durable.
    machine.disk.powerCut({ seed: failAt, keep: () => 0 });
    const last = await machine.open();
    await recover(last.store);
    await assertConsistent(last.store, told, `dead at call ${failAt}, then a power cut`);
    await commit(last.store, 'a.md', 'afterwards');
    await last.store.close();
  }
}, 120_000);

test('a power cut at any call loses nothing that was acknowledged and never splits a document from its event', async () => {
  const calls = await countCalls();
  const cuts: readonly PowerCut[] = [{ seed: 1, keep: () => 0 }, { seed: 2, keep: () => 1 }, { seed: 3 }, { seed: 4 }];
  for (let failAt = 1; failAt <= calls; failAt += 1) {
    // One fate per call here, every fate when soaking.
    for (const cut of process.env.SHEAF_SOAK ? cuts : cuts.slice(failAt % cuts.length).slice(0, 1)) {
      const machine = createMachine();
      const told = await runWithFault(machine, { failAt, afterwards: 'dead', tornShare: 0.5 });
      machine.disk.powerCut({ ...cut, seed: cut.seed * 10_000 + failAt });
      const after = await machine.open();
      await recover(after.store);
      await assertConsistent(after.store, told, `power cut ${cut.seed} at call ${failAt}`);
      await commit(after.store, 'a.md', 'afterwards');
      expect(await textAt(after.store, 'a.md')).toBe('afterwards');
      await after.store.close();
    }
  }
}, 240_000);

test.each(['recover', 'stay'] as const)(
  'a call that fails (%s) fails its commit or is overcome, and the vault stays whole',
  async afterwards => {
    const calls = await countCalls();
    for (let failAt = 1; failAt <= calls; failAt += 1) {
      const machine = createMachine();
      const told = await runWithFault(machine, { failAt, code: 'ENOSPC', afterwards, tornShare: 0.5 });
      const after = await machine.open();
      await recover(after.store);
      await assertConsistent(after.store, told, `${afterwards} at call ${failAt}`);
      await commit(after.store, 'a.md', 'afterwards');
      await after.store.close();
    }
  },
  120_000,
);

test('an intent whose commit failed does not come back to undo the same bytes written by somebody else', async () => {
  const machine = createMachine();
  const first = await machine.open();
  await commit(first.store, 'a.md', 'old');
  const refused = commit(
    { ...first.store, vfs: { ...first.store.vfs, writeAtomic: () => Promise.reject(new Error('refused')) } },
    'a.md',
    'new',
  );
  await expect(refused).rejects.toThrow('refused');
  const second = await machine.open();
  await commit(second.store, 'a.md', 'new');
  first.die();
  second.die();
  machine.disk.powerCut({ seed: 1, keep: () => 0 });
  const third = await machine.open();
  await recover(third.store);
  expect(await textAt(third.store, 'a.md')).toBe('new');
  await third.store.close();
});

test('a kept intent that was settled does not come back after a power cut', async () => {
  const machine = createMachine();
  const { store, die } = await machine.open();
  await commit(store, 'a.md', 'old');
  const lost = commit(store, 'a.md', 'new', async () => {
    throw new UnknownAppendOutcomeError('the disk went away');
  });
  await expect(lost).rejects.toThrow('the disk went away');
  expect(await recover(store)).toMatchObject([{ path: 'a.md', outcome: 'rolled_back' }]);
  await commit(store, 'a.md', 'new');
  die();
  machine.disk.powerCut({ seed: 1, keep: () => 0 });
  const after = await machine.open();
  // The record of the last batch may come back, settled as it is.
  for (const { outcome } of await recover(after.store)) expect(outcome).toBe('committed');
  expect(await textAt(after.store, 'a.md')).toBe('new');
  await after.store.close();
});

/** What a process leaves that dies, or is not yet at its sync, right after it made a name. */
const unsynced = {
  'the directories of the log': ['.ssss-intents', '.ssss-intents/locks', '.ssss', '.ssss/derived', '.ssss/events'],
  'the directories of the journals': [
    '.ssss',
    '.ssss/derived',
    '.ssss-intents',
    '.ssss-intents/locks',
    '.ssss-intents/tmp',
    '.ssss-intents/journal',
  ],
  'the directories of the document': ['deep', 'deep/er'],
} as const;

test.each(Object.entries(unsynced))(
  '%s become durable with the first change that rests on them, whoever made them',
  async (_, directories) => {
    for (const cut of ['before', 'after'] as const) {
      const machine = createMachine();
      for (const directory of directories) machine.disk.fileSystem.makeDirectory(join(root, directory));
      const first = await machine.open();
      const powerFails = async (): Promise<void> => {
        if (cut === 'before') throw new UnknownAppendOutcomeError('the power fails');
      };
      const event = await commit(first.store, 'deep/er/b.md', 'new', powerFails).catch(() => null);
      first.die();
      machine.disk.powerCut({ seed: 1, keep: () => 0 });
      const second = await machine.open();
      await recover(second.store);
      expect(await textAt(second.store, 'deep/er/b.md')).toBe(cut === 'before' ? null : 'new');
      expect((await replayed(second.store)).map(({ event_id }) => event_id)).toEqual(event === null ? [] : [event.event_id]);
      await second.store.close();
    }
  },
);

test('the segment of a process that died as it made it becomes durable with its first event', async () => {
  const machine = createMachine();
  const before = await machine.open();
  await commit(before.store, 'a.md', 'old '.repeat(1_000));
  before.die();
  const { fileSystem } = machine.disk;
  for (const segment of [2, 3]) {
    const path = join(root, '.ssss/events', `0000000${segment}.jsonl`);
    if (fileSystem.stat(path) === null) fileSystem.close(fileSystem.open(path, 'create-exclusive'));
  }
  const first = await machine.open();
  await commit(first.store, 'a.md', 'new');
  first.die();
  machine.disk.powerCut({ seed: 1, keep: () => 0 });
  const second = await machine.open();
  await recover(second.store);
  expect(await replayed(second.store)).toHaveLength(2);
  expect(await textAt(second.store, 'a.md')).toBe('new');
  await second.store.close();
});
