import assert from 'node:assert/strict';
import type { Vfs } from '#adapter-contracts';
import { compiledModule, raceTasks, startTask } from './child-task.ts';
import { type ContractHarness, locationOf, withStore } from './contract-harness.ts';
import { type CountTask, sentStore, type WriteTask } from './contract-tasks.ts';
import { counterDocument, readCounter } from './counter-document.ts';
import { assertOneWinner, outcomeOf } from './refusal.ts';

const path = 'memory/counter.md';

const readCount = async (vfs: Vfs): Promise<number> => {
  const stored = await vfs.read(path);
  assert.ok(stored !== null, 'a document that is only ever replaced must never be absent');
  return readCounter(stored.bytes);
};

const countInProcess = async (vfs: Vfs, rounds: number): Promise<number> => {
  let won = 0;
  for (let round = 0; round < rounds; round += 1) {
    const current = await vfs.read(path);
    assert.ok(current !== null);
    const next = counterDocument(readCounter(current.bytes) + 1);
    const outcome = await outcomeOf(() => vfs.writeAtomic(path, next, { version: current.version }));
    if (outcome === 'won') won += 1;
    else assert.equal(outcome, 'version_conflict');
  }
  return won;
};

const registerInProcessRaces = (harness: ContractHarness<'vfs'>): void => {
  const { test, rounds = 40 } = harness;
  test('of many creators at once exactly one wins, and its bytes stand whole', () =>
    withStore(harness, async ({ vfs }) => {
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, index) => outcomeOf(() => vfs.writeAtomic(path, counterDocument(index), { ifAbsent: true }))),
      );
      assertOneWinner(outcomes, 'version_conflict');
      assert.equal(await readCount(vfs), outcomes.indexOf('won'));
    }));

  test('writers that swap at once lose no acknowledged write, and readers never see half of one', () =>
    withStore(harness, async ({ vfs }) => {
      await vfs.writeAtomic(path, counterDocument(0), { ifAbsent: true });
      let writing = true;
      const reader = async () => {
        let last = 0;
        while (writing) {
          const count = await readCount(vfs);
          assert.ok(count >= last, `the count went back from ${last} to ${count}`);
          last = count;
          await new Promise(resolve => setImmediate(resolve));
        }
      };
      const readers = [reader(), reader()];
      const won = await Promise.all(Array.from({ length: 8 }, () => countInProcess(vfs, rounds)));
      writing = false;
      await Promise.all(readers);
      assert.equal(
        await readCount(vfs),
        won.reduce((sum, count) => sum + count, 0),
      );
    }));

  test('a swap races a removal: one of them wins', () =>
    withStore(harness, async ({ vfs }) => {
      for (let round = 0; round < 10; round += 1) {
        const { version } = await vfs.writeAtomic(path, counterDocument(round), { ifAbsent: true });
        const outcomes = await Promise.all([
          outcomeOf(() => vfs.writeAtomic(path, counterDocument(99), { version })),
          outcomeOf(() => vfs.remove(path, { version })),
        ]);
        assertOneWinner(outcomes, 'version_conflict');
        const left = await vfs.read(path);
        assert.equal(left === null, outcomes[1] === 'won');
        if (left !== null) await vfs.remove(path, { version: left.version });
      }
    }));

  test('writes to different paths at once all land', () =>
    withStore(harness, async ({ vfs }) => {
      const paths = Array.from({ length: 60 }, (_, index) => `d${index % 7}/e/${index}.md`);
      await Promise.all(paths.map((each, index) => vfs.writeAtomic(each, counterDocument(index), { ifAbsent: true })));
      for (const [index, each] of paths.entries()) {
        const stored = await vfs.read(each);
        assert.equal(stored === null ? null : readCounter(stored.bytes), index);
      }
    }));
};

const registerProcessRaces = (harness: ContractHarness<'vfs'>): void => {
  const { test, multiProcess, rounds = 40 } = harness;
  if (multiProcess === undefined) return;
  const module = compiledModule('contract-tasks');

  test('of eight processes that create one document exactly one wins', () =>
    withStore(harness, async opened => {
      const store = sentStore(multiProcess, locationOf(opened));
      const outcomes = await raceTasks<string>(
        Array.from({ length: 8 }, (_, index) => ({
          module,
          task: 'writeOnce',
          argument: { store, path, bytes: counterDocument(index), expected: { ifAbsent: true } } satisfies WriteTask,
        })),
      );
      assertOneWinner(outcomes, 'version_conflict');
      assert.equal(await readCount(opened.vfs), outcomes.indexOf('won'));
    }));

  test('eight processes that swap in a loop lose no acknowledged write, and a reader never sees half of one', () =>
    withStore(harness, async opened => {
      const { vfs } = opened;
      await vfs.writeAtomic(path, counterDocument(0), { ifAbsent: true });
      const argument = { store: sentStore(multiProcess, locationOf(opened)), path, rounds } satisfies CountTask;
      let writing = true;
      const readWhole = async () => {
        for (let last = 0; writing; ) {
          const count = await readCount(vfs);
          assert.ok(count >= last, `the count went back from ${last} to ${count}`);
          last = count;
          await new Promise(resolve => setTimeout(resolve, 2));
        }
      };
      const reading = readWhole();
      const won = await raceTasks<number>(Array.from({ length: 8 }, () => ({ module, task: 'countUp', argument }))).finally(() => {
        writing = false;
      });
      await reading;
      assert.equal(
        await readCount(vfs),
        won.reduce((sum, count) => sum + count, 0),
      );
    }));

  test('a process killed while it writes leaves a whole document behind', () =>
    withStore(harness, async opened => {
      const { vfs } = opened;
      await vfs.writeAtomic(path, counterDocument(0), { ifAbsent: true });
      const argument = { store: sentStore(multiProcess, locationOf(opened)), path, rounds: 1_000_000 } satisfies CountTask;
      for (let round = 0; round < 3; round += 1) {
        const before = await readCount(vfs);
        const writer = startTask<number>({ module, task: 'countUp', argument });
        try {
          await writer.ready;
          writer.go();
          const until = Date.now() + 20_000;
          while ((await readCount(vfs)) < before + 5 && Date.now() < until) await new Promise(resolve => setTimeout(resolve, 1));
        } finally {
          writer.signal('SIGKILL');
          await writer.exited;
        }
        const after = await readCount(vfs);
        assert.ok(after >= before + 5, `the writer must have written; the count is ${after} after ${before}`);
        assert.equal(await countInProcess(vfs, 1), 1, 'the next writer must not be held up by a dead one');
      }
    }));
};

/** Registers the races of the VFS contract: within one process always, across processes when the harness declares `multiProcess`. */
export const registerVfsRaceTests = (harness: ContractHarness<'vfs'>): void => {
  registerInProcessRaces(harness);
  registerProcessRaces(harness);
};
