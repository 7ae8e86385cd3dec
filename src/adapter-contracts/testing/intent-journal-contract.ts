import assert from 'node:assert/strict';
import { isVaultError } from '#errors';
import { type ContractHarness, withStore } from './contract-harness.ts';
import { deferred } from './deferred.ts';
import { intentFor, journalOf, readText, textBytes, writeText } from './intent-fixture.ts';
import { registerLeftoverTests } from './intent-leftover-contract.ts';
import { registerDeadWriterTests } from './intent-process-contract.ts';
import { resolveByTable } from './intent-table.ts';

/** What an intent journal's harness may declare beyond the common capabilities. */
export interface IntentJournalHarness extends ContractHarness<'vfs'> {
  /** How long the journals of `open` wait for a commit lock, at most some seconds: adds the test that they give up. */
  readonly lockTimeoutMs?: number;
}

const path = 'memory/n.md';
const resolve = resolveByTable(new Set());

const registerRunTests = (harness: IntentJournalHarness): void => {
  const { test } = harness;
  test('run hands back what its commit returns and leaves nothing to recover', () =>
    withStore(harness, async ({ vfs }) => {
      const journal = journalOf(vfs);
      const result = await journal.run(
        path,
        intentFor(path, null, 'one'),
        async ({ resolved }) => {
          assert.deepEqual(resolved, []);
          await writeText(vfs, path, 'one');
          return 42;
        },
        { resolve },
      );
      assert.equal(result, 42);
      assert.equal(await readText(vfs, path), 'one');
      assert.deepEqual(await journal.recover(resolve), []);
      assert.deepEqual(await journal.settle(path, { resolve }), []);
      assert.equal(await readText(vfs, path), 'one');
    }));

  test('run rethrows what its commit throws, and the intent is gone', () =>
    withStore(harness, async ({ vfs }) => {
      const journal = journalOf(vfs);
      const failure = new Error('the append failed');
      const commit = async (): Promise<never> => {
        throw failure;
      };
      await assert.rejects(journal.run(path, intentFor(path, null, 'one'), commit, { resolve }), error => error === failure);
      assert.deepEqual(await journal.recover(resolve), []);
    }));

  test('a commit may write, undo its write, and remove', () =>
    withStore(harness, async ({ vfs }) => {
      const journal = journalOf(vfs);
      const undone = journal.run(
        path,
        intentFor(path, null, 'one'),
        async () => {
          const { version } = await vfs.writeAtomic(path, textBytes('one'), { ifAbsent: true });
          await vfs.remove(path, { version });
          throw new Error('undone');
        },
        { resolve },
      );
      await assert.rejects(undone, /undone/);
      assert.equal(await readText(vfs, path), null);
      await writeText(vfs, path, 'two');
      await journal.run(path, intentFor(path, 'two', null), () => writeText(vfs, path, null), { resolve });
      assert.equal(await readText(vfs, path), null);
    }));

  test('a lost swap inside a commit is refused like any other', () =>
    withStore(harness, async ({ vfs }) => {
      await writeText(vfs, path, 'one');
      const commit = () => vfs.writeAtomic(path, textBytes('two'), { ifAbsent: true });
      await assert.rejects(
        journalOf(vfs).run(path, intentFor(path, null, 'two'), commit, { resolve }),
        error => isVaultError(error) && error.code === 'version_conflict',
      );
      assert.equal(await readText(vfs, path), 'one');
      assert.deepEqual(await journalOf(vfs).recover(resolve), []);
    }));
};

const registerLockTests = (harness: IntentJournalHarness): void => {
  const { test } = harness;
  const overlapOf = async (spellings: readonly string[], vfs: Parameters<typeof journalOf>[0]) => {
    let inside = 0;
    let most = 0;
    const run = (each: string) =>
      journalOf(vfs).run(
        each,
        intentFor(each, null, 'x'),
        async () => {
          inside += 1;
          most = Math.max(most, inside);
          await new Promise(done => setTimeout(done, 2));
          inside -= 1;
        },
        { resolve },
      );
    await Promise.all(Array.from({ length: 12 }, (_, index) => run(spellings[index % spellings.length] ?? path)));
    return most;
  };

  test('commits on one path never overlap', () => withStore(harness, async ({ vfs }) => assert.equal(await overlapOf([path], vfs), 1)));

  test('commits on two spellings of one path never overlap', () =>
    withStore(harness, async ({ vfs }) => assert.equal(await overlapOf(['caf\u00e9/n.md', 'CAFE\u0301/n.md'], vfs), 1)));

  test('callers that read, commit under the lock and retry when another was first lose no update', () =>
    withStore(harness, async ({ vfs }) => {
      await writeText(vfs, path, '0');
      const addOne = async (): Promise<void> => {
        for (;;) {
          const current = await vfs.read(path);
          assert.ok(current !== null);
          const text = new TextDecoder().decode(current.bytes);
          const next = String(Number(text) + 1);
          const commit = () => vfs.writeAtomic(path, textBytes(next), { version: current.version });
          try {
            await journalOf(vfs).run(path, intentFor(path, text, next), commit, { resolve });
            return;
          } catch (error) {
            if (!isVaultError(error) || error.code !== 'version_conflict') throw error;
          }
        }
      };
      await Promise.all(Array.from({ length: 25 }, addOne));
      assert.equal(await readText(vfs, path), '25');
    }));

  test('commits that write, do nothing or throw do not hold each other up', () =>
    withStore(harness, async ({ vfs }) => {
      const kinds = ['write', 'nothing', 'throw'] as const;
      const run = (index: number) => {
        const each = `d/${index}.md`;
        const kind = kinds[index % 3];
        const commit = async () => {
          if (kind === 'throw') throw new Error('refused late');
          if (kind === 'write') await writeText(vfs, each, String(index));
        };
        return journalOf(vfs).run(each, intentFor(each, null, String(index)), commit, { resolve });
      };
      const settled = await Promise.allSettled(Array.from({ length: 30 }, (_, index) => run(index)));
      for (const [index, { status }] of settled.entries()) {
        assert.equal(status, index % 3 === 2 ? 'rejected' : 'fulfilled');
        assert.equal(await readText(vfs, `d/${index}.md`), index % 3 === 0 ? String(index) : null);
      }
      assert.deepEqual(await journalOf(vfs).recover(resolve), []);
    }));

  test('settle waits for the live commit on its path and not for others', () =>
    withStore(harness, async ({ vfs }) => {
      const journal = journalOf(vfs);
      const gate = deferred<void>();
      const began = deferred<void>();
      let over = false;
      const commit = journal.run(
        path,
        intentFor(path, null, 'one'),
        async () => {
          began.resolve();
          await gate.promise;
          over = true;
        },
        { resolve },
      );
      await began.promise;
      const settled = journal.settle(path, { resolve }).then(reports => {
        assert.ok(over, 'settle came back while a commit was still at work');
        return reports;
      });
      await new Promise(done => setTimeout(done, 20));
      gate.resolve();
      await commit;
      assert.deepEqual(await settled, []);
    }));
};

const registerLiveCommitTests = (harness: IntentJournalHarness): void => {
  const { test } = harness;
  test('recover reports a commit at work in flight and leaves it alone', () =>
    withStore(harness, async ({ vfs }) => {
      const journal = journalOf(vfs);
      const gate = deferred<void>();
      const began = deferred<void>();
      const intent = intentFor(path, null, 'one');
      const commit = async () => {
        await writeText(vfs, path, 'one');
        began.resolve();
        await gate.promise;
      };
      const running = journal.run(path, intent, commit, { resolve });
      await began.promise;
      const { workspace_id, event_id } = intent;
      assert.deepEqual(await journal.recover(resolve), [{ workspace_id, path, event_id, outcome: 'in_flight' }]);
      gate.resolve();
      await running;
      assert.equal(await readText(vfs, path), 'one');
      assert.deepEqual(await journal.recover(resolve), []);
    }));
};

/**
 * Registers the tests of a VFS's co-located intent journal (§6.3, §6.7). `reopen` adds leftovers that outlive the store, `multiProcess` writers that
 * are killed or stopped in mid-commit, `lockTimeoutMs` the wait for a lock that stays taken.
 */
export const intentJournalContract = (harness: IntentJournalHarness): void => {
  harness.describe(`intent journal contract: ${harness.name}`, () => {
    registerRunTests(harness);
    registerLockTests(harness);
    registerLiveCommitTests(harness);
    registerLeftoverTests(harness);
    registerDeadWriterTests(harness, harness.lockTimeoutMs);
  });
};
