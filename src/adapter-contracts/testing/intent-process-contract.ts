import assert from 'node:assert/strict';
import type { CommitIntent, IntentOutcome, RecoveryReport } from '#adapter-contracts';
import { compiledModule, type RunningTask, raceTasks, startTask } from './child-task.ts';
import { type ChildStore, type ContractHarness, locationOf, type OpenStore, withStore } from './contract-harness.ts';
import { type CommitTask, type RecoverTask, sentStore } from './contract-tasks.ts';
import { intentFor, journalOf, readText, textBytes, writeText } from './intent-fixture.ts';
import { resolveByTable } from './intent-table.ts';
import { assertRefused } from './refusal.ts';

const path = 'memory/n.md';
const module = compiledModule('contract-tasks');
const unlogged = resolveByTable(new Set());
const posix = process.platform !== 'win32';

interface Writer {
  readonly task: RunningTask<string>;
  readonly intent: CommitIntent;
}

/** Another process inside a commit from 'old' to 'new' on `path`, paused before or after its write; killed when `body` is done. */
const withPausedWriter = async (
  multiProcess: ChildStore,
  opened: OpenStore<'vfs'>,
  pause: CommitTask['pause'],
  body: (writer: Writer) => Promise<void>,
): Promise<void> => {
  const intent = intentFor(path, 'old', 'new');
  const argument: CommitTask = { store: sentStore(multiProcess, locationOf(opened)), intent, content: textBytes('new'), pause };
  const task = startTask<string>({ module, task: 'pauseInCommit', argument });
  try {
    await task.ready;
    await body({ task, intent });
  } finally {
    task.signal('SIGKILL');
    await task.exited;
  }
};

const kill = async ({ task }: Writer): Promise<void> => {
  task.signal('SIGKILL');
  await task.exited;
};

const reportOf = ({ workspace_id, event_id }: CommitIntent, outcome: IntentOutcome): RecoveryReport => ({
  workspace_id,
  path,
  event_id,
  outcome,
});

type OnOld = (body: (opened: OpenStore<'vfs'>) => Promise<void>) => Promise<void>;

const registerKilledWriterTests = ({ test }: ContractHarness<'vfs'>, multiProcess: ChildStore, onOld: OnOld): void => {
  test('a writer killed after its write and before its event is rolled back', () =>
    onOld(async opened => {
      await withPausedWriter(multiProcess, opened, 'after_write', async writer => {
        assert.equal(await readText(opened.vfs, path), 'new');
        await kill(writer);
        assert.deepEqual(await journalOf(opened.vfs).recover(unlogged), [reportOf(writer.intent, 'rolled_back')]);
        assert.equal(await readText(opened.vfs, path), 'old');
        assert.deepEqual(await journalOf(opened.vfs).recover(unlogged), []);
      });
    }));

  test('a writer killed before its write is discarded', () =>
    onOld(async opened => {
      await withPausedWriter(multiProcess, opened, 'before_write', async writer => {
        await kill(writer);
        assert.deepEqual(await journalOf(opened.vfs).recover(unlogged), [reportOf(writer.intent, 'discarded')]);
        assert.equal(await readText(opened.vfs, path), 'old');
      });
    }));

  test('a writer killed after its event keeps its commit', () =>
    onOld(async opened => {
      await withPausedWriter(multiProcess, opened, 'after_write', async writer => {
        await kill(writer);
        const logged = resolveByTable(new Set([writer.intent.event_id]));
        assert.deepEqual(await journalOf(opened.vfs).recover(logged), [reportOf(writer.intent, 'committed')]);
        assert.equal(await readText(opened.vfs, path), 'new');
      });
    }));

  test('the next commit on the path resolves a killed writer first, without waiting', () =>
    onOld(async opened => {
      await withPausedWriter(multiProcess, opened, 'after_write', async writer => {
        await kill(writer);
        const commit = async ({ resolved }: { readonly resolved: readonly RecoveryReport[] }) => {
          assert.deepEqual(resolved, [reportOf(writer.intent, 'rolled_back')]);
          assert.equal(await readText(opened.vfs, path), 'old');
          await writeText(opened.vfs, path, 'next');
        };
        await journalOf(opened.vfs).run(path, intentFor(path, 'old', 'next'), commit, { resolve: unlogged });
        assert.equal(await readText(opened.vfs, path), 'next');
      });
    }));

  test('of several processes that recover at once exactly one reports each leftover', () =>
    onOld(async opened => {
      await withPausedWriter(multiProcess, opened, 'after_write', async writer => {
        await kill(writer);
        const argument: RecoverTask = { store: sentStore(multiProcess, locationOf(opened)) };
        const reports = await raceTasks<readonly RecoveryReport[]>(
          Array.from({ length: 4 }, () => ({ module, task: 'recoverOnce', argument })),
        );
        const decided = reports.flat().filter(({ outcome }) => outcome !== 'in_flight');
        assert.deepEqual(decided, [reportOf(writer.intent, 'rolled_back')]);
        assert.equal(await readText(opened.vfs, path), 'old');
      });
    }));
};

const registerLiveWriterTests = (
  { test }: ContractHarness<'vfs'>,
  multiProcess: ChildStore,
  onOld: OnOld,
  lockTimeoutMs?: number,
): void => {
  test('a live writer is reported in flight, is never resolved, and finishes its commit', () =>
    onOld(async opened => {
      const never = async (): Promise<never> => {
        throw new Error('the intent of a live writer must not be resolved');
      };
      await withPausedWriter(multiProcess, opened, 'after_write', async ({ task, intent }) => {
        // Stopped, not merely slow: nothing but the operating system's lock can say that it lives (readings: liveness).
        if (posix) task.signal('SIGSTOP');
        for (let round = 0; round < 2; round += 1) {
          assert.deepEqual(await journalOf(opened.vfs).recover(never), [reportOf(intent, 'in_flight')]);
          assert.equal(await readText(opened.vfs, path), 'new');
        }
        if (posix) task.signal('SIGCONT');
        task.go();
        assert.equal(await task.result, 'done');
        assert.deepEqual(await journalOf(opened.vfs).recover(never), []);
        assert.equal(await readText(opened.vfs, path), 'new');
      });
    }));

  test('a commit waits for a live writer of another process', () =>
    onOld(async opened => {
      await withPausedWriter(multiProcess, opened, 'before_write', async ({ task }) => {
        setTimeout(() => task.go(), 100);
        const commit = async () => {
          assert.equal(await readText(opened.vfs, path), 'new', 'the other commit must be over');
          await writeText(opened.vfs, path, 'next');
        };
        await journalOf(opened.vfs).run(path, intentFor(path, 'new', 'next'), commit, { resolve: unlogged });
        assert.equal(await task.result, 'done');
        assert.equal(await readText(opened.vfs, path), 'next');
      });
    }));

  if (lockTimeoutMs !== undefined) {
    test('a commit lock that stays taken is given up with version_conflict, and other paths go on', () =>
      onOld(async opened => {
        await withPausedWriter(multiProcess, opened, 'after_write', async ({ task }) => {
          const journal = journalOf(opened.vfs);
          const began = Date.now();
          const waiting = assertRefused(
            () => journal.run(path, intentFor(path, 'new', 'next'), () => writeText(opened.vfs, path, 'next'), { resolve: unlogged }),
            'version_conflict',
          );
          await journal.run('other.md', intentFor('other.md', null, 'x'), () => writeText(opened.vfs, 'other.md', 'x'), {
            resolve: unlogged,
          });
          assert.ok(Date.now() - began < lockTimeoutMs, 'a commit on another path must not wait for the taken lock');
          await waiting;
          assert.ok(Date.now() - began >= lockTimeoutMs - 20, 'it must wait as long as it was told');
          task.go();
          assert.equal(await task.result, 'done');
          assert.equal(await readText(opened.vfs, path), 'new');
        });
      }));
  }
};

/** Registers the tests with writers in other processes; nothing when the harness does not declare `multiProcess`. */
export const registerDeadWriterTests = (harness: ContractHarness<'vfs'>, lockTimeoutMs?: number): void => {
  const { multiProcess } = harness;
  if (multiProcess === undefined) return;
  const onOld: OnOld = body =>
    withStore(harness, async opened => {
      await writeText(opened.vfs, path, 'old');
      await body(opened);
    });
  registerKilledWriterTests(harness, multiProcess, onOld);
  registerLiveWriterTests(harness, multiProcess, onOld, lockTimeoutMs);
};
