import assert from 'node:assert/strict';
import type { CommitIntent, IntentOutcome, RecoveryReport, Vfs } from '#adapter-contracts';
import { acrossReopen, type ContractHarness, isDurable, withStore } from './contract-harness.ts';
import { intentFor, journalOf, readText, writeText } from './intent-fixture.ts';
import { resolveByTable } from './intent-table.ts';
import { assertRefused } from './refusal.ts';

const path = 'memory/n.md';
const unlogged = resolveByTable(new Set());

/** One row of the table of §6.3 with a kind of change. */
interface Row {
  readonly what: string;
  readonly prior: string | null;
  readonly intended: string | null;
  /** What the interrupted commit made of the document. */
  readonly reached: string | null;
  readonly logged: boolean;
  readonly outcome: IntentOutcome;
  readonly after: string | null;
}

const rows: readonly Row[] = [
  { what: 'a logged create', prior: null, intended: 'new', reached: 'new', logged: true, outcome: 'committed', after: 'new' },
  { what: 'a logged delete', prior: 'old', intended: null, reached: null, logged: true, outcome: 'committed', after: null },
  {
    what: 'a logged replace with a foreign edit after it',
    prior: 'old',
    intended: 'new',
    reached: 'foreign',
    logged: true,
    outcome: 'committed',
    after: 'foreign',
  },
  { what: 'a create without its event', prior: null, intended: 'new', reached: 'new', logged: false, outcome: 'rolled_back', after: null },
  {
    what: 'a replace without its event',
    prior: 'old',
    intended: 'new',
    reached: 'new',
    logged: false,
    outcome: 'rolled_back',
    after: 'old',
  },
  { what: 'a delete without its event', prior: 'old', intended: null, reached: null, logged: false, outcome: 'rolled_back', after: 'old' },
  { what: 'a create that never landed', prior: null, intended: 'new', reached: null, logged: false, outcome: 'discarded', after: null },
  { what: 'a replace that never landed', prior: 'old', intended: 'new', reached: 'old', logged: false, outcome: 'discarded', after: 'old' },
  { what: 'a delete that never landed', prior: 'old', intended: null, reached: 'old', logged: false, outcome: 'discarded', after: 'old' },
  {
    what: 'a replace with a foreign edit over it',
    prior: 'old',
    intended: 'new',
    reached: 'foreign',
    logged: false,
    outcome: 'conflict',
    after: 'foreign',
  },
  {
    what: 'a replace whose document vanished',
    prior: 'old',
    intended: 'new',
    reached: null,
    logged: false,
    outcome: 'conflict',
    after: null,
  },
  {
    what: 'a delete with a foreign document in its place',
    prior: 'old',
    intended: null,
    reached: 'foreign',
    logged: false,
    outcome: 'conflict',
    after: 'foreign',
  },
];

/** Leaves an intent behind whose commit brought the document to `reached` and could not tell whether its event landed. */
const leaveBehind = async (vfs: Vfs, row: Pick<Row, 'prior' | 'intended' | 'reached'>, path = 'memory/n.md'): Promise<CommitIntent> => {
  if (row.prior !== null) await writeText(vfs, path, row.prior);
  const intent = intentFor(path, row.prior, row.intended);
  await journalOf(vfs).run(
    path,
    intent,
    async scope => {
      scope.keepIntent();
      await writeText(vfs, path, row.reached);
    },
    { resolve: unlogged },
  );
  return intent;
};

const assertReport = (reports: readonly RecoveryReport[], intent: CommitIntent, outcome: IntentOutcome): void => {
  assert.equal(reports.length, 1, `expected one report, got ${JSON.stringify(reports)}`);
  const [{ kept_at, ...report } = { kept_at: undefined }] = reports;
  assert.deepEqual(report, { workspace_id: intent.workspace_id, path: intent.path, event_id: intent.event_id, outcome });
  assert.equal(kept_at === undefined, outcome !== 'conflict', 'a conflict says where its intent was set aside, and nothing else does');
};

const registerOutcomeTests = (harness: ContractHarness<'vfs'>): void => {
  const { test } = harness;
  for (const row of rows) {
    const resolve = (intent: CommitIntent) => resolveByTable(new Set(row.logged ? [intent.event_id] : []));
    test(`${row.what} is ${row.outcome}: by recover, by settle, and before the next commit`, () =>
      withStore(harness, async ({ vfs }) => {
        const journal = journalOf(vfs);
        const recovered = await leaveBehind(vfs, row, 'recovered.md');
        assertReport(await journal.recover(resolve(recovered)), recovered, row.outcome);
        assert.equal(await readText(vfs, 'recovered.md'), row.after);

        const settled = await leaveBehind(vfs, row, 'settled.md');
        assertReport(await journal.settle('settled.md', { resolve: resolve(settled) }), settled, row.outcome);
        assert.equal(await readText(vfs, 'settled.md'), row.after);
        assert.deepEqual(await journal.settle('settled.md', { resolve: resolve(settled) }), [], 'an outcome is reported once');

        const followed = await leaveBehind(vfs, row, 'followed.md');
        const commit = async ({ resolved }: { readonly resolved: readonly RecoveryReport[] }) => {
          assertReport(resolved, followed, row.outcome);
          assert.equal(await readText(vfs, 'followed.md'), row.after, 'the leftover is resolved before the commit begins');
          await writeText(vfs, 'followed.md', 'next');
        };
        await journal.run('followed.md', intentFor('followed.md', row.after, 'next'), commit, { resolve: resolve(followed) });
        assert.equal(await readText(vfs, 'followed.md'), 'next');
        assert.deepEqual(await journal.recover(resolve(followed)), [], 'an outcome is reported once');
      }));
  }
};

const registerKeepTests = (harness: ContractHarness<'vfs'>): void => {
  const { test } = harness;
  const row = { prior: 'old\r\n\u0000\ufeff', intended: 'new', reached: 'new' };

  test('the resolver sees the intent as it was recorded, bytes and all', () =>
    withStore(harness, async ({ vfs }) => {
      const intent = await leaveBehind(vfs, row);
      const seen: CommitIntent[] = [];
      await journalOf(vfs).recover(async (leftover, target) => {
        seen.push(leftover);
        assert.equal(new TextDecoder().decode((await target.read())?.bytes), 'new');
        return 'committed';
      });
      assert.equal(seen.length, 1);
      const { prior, ...rest } = seen[0] as CommitIntent;
      const { prior: expected, ...others } = intent;
      assert.deepEqual(rest, others);
      assert.deepEqual(Buffer.from(prior ?? []), Buffer.from(expected ?? []));
    }));

  test('an intent is kept also when its commit throws after asking for it', () =>
    withStore(harness, async ({ vfs }) => {
      await writeText(vfs, path, 'old');
      const intent = intentFor(path, 'old', 'new');
      const commit = async (scope: { keepIntent(): void }) => {
        await writeText(vfs, path, 'new');
        scope.keepIntent();
        throw new Error('nobody knows');
      };
      await assert.rejects(journalOf(vfs).run(path, intent, commit, { resolve: unlogged }), /nobody knows/);
      assertReport(await journalOf(vfs).recover(unlogged), intent, 'rolled_back');
      assert.equal(await readText(vfs, path), 'old');
    }));

  test('an intent whose prior content is gone by the time of its lock can neither change anything nor be left behind', () =>
    withStore(harness, async ({ vfs }) => {
      const journal = journalOf(vfs);
      // Two deletes of one document: the second read it before the first committed, and dies at once. The document must stay deleted.
      await writeText(vfs, path, 'old');
      const late = intentFor(path, 'old', null);
      const { version } = (await vfs.read(path))!;
      await vfs.remove(path, { version });
      const commit = async (scope: { keepIntent(): void }) => {
        scope.keepIntent();
        await vfs.remove(path, { version });
      };
      await assertRefused(() => journal.run(path, late, commit, { resolve: unlogged }), 'version_conflict');
      assert.deepEqual(await journal.recover(unlogged), []);
      assert.equal(await readText(vfs, path), null);
    }));

  test('a leftover holds up no other path, and is not resolved by one', () =>
    withStore(harness, async ({ vfs }) => {
      const intent = await leaveBehind(vfs, row);
      const commit = async ({ resolved }: { readonly resolved: readonly RecoveryReport[] }) => {
        assert.deepEqual(resolved, []);
        await writeText(vfs, 'other.md', 'other');
      };
      await journalOf(vfs).run('other.md', intentFor('other.md', null, 'other'), commit, { resolve: unlogged });
      assert.deepEqual(await journalOf(vfs).settle('other.md', { resolve: unlogged }), []);
      assertReport(await journalOf(vfs).recover(unlogged), intent, 'rolled_back');
      assert.equal(await readText(vfs, 'other.md'), 'other');
    }));

  test('many leftovers are all resolved, each once', () =>
    withStore(harness, async ({ vfs }) => {
      const intents = Array.from({ length: 20 }, (_, index) => intentFor(`d/${index}.md`, null, 'new'));
      const leave = (intent: CommitIntent) =>
        journalOf(vfs).run(
          intent.path,
          intent,
          async scope => {
            await writeText(vfs, intent.path, 'new');
            scope.keepIntent();
          },
          { resolve: unlogged },
        );
      await Promise.all(intents.map(leave));
      const reports = await journalOf(vfs).recover(unlogged);
      assert.deepEqual(reports.map(({ event_id }) => event_id).sort(), intents.map(({ event_id }) => event_id).sort());
      for (const { path: each } of intents) assert.equal(await readText(vfs, each), null);
    }));

  test('a resolver that fails leaves the intent for later', () =>
    withStore(harness, async ({ vfs }) => {
      const intent = await leaveBehind(vfs, row);
      const broken = async (): Promise<never> => {
        throw new Error('the log cannot be read');
      };
      let began = false;
      const commit = async () => {
        began = true;
      };
      await assert.rejects(journalOf(vfs).run(path, intentFor(path, 'new', 'next'), commit, { resolve: broken }));
      await assert.rejects(journalOf(vfs).recover(broken));
      assert.equal(began, false, 'nothing is committed on top of an undecided write');
      assert.equal(await readText(vfs, path), 'new');
      assertReport(await journalOf(vfs).recover(unlogged), intent, 'rolled_back');
    }));

  if (isDurable(harness)) {
    test('a kept intent outlives the store', () =>
      acrossReopen(
        harness,
        ({ vfs }) => leaveBehind(vfs, row),
        async ({ vfs }, intent) => {
          assert.equal(await readText(vfs, path), 'new');
          assertReport(await journalOf(vfs).recover(unlogged), intent, 'rolled_back');
          assert.equal(await readText(vfs, path), row.prior);
        },
      ));

    test('a resolved or finished intent does not come back with the store', () =>
      acrossReopen(
        harness,
        async ({ vfs }) => {
          await leaveBehind(vfs, { prior: 'old', intended: 'new', reached: 'foreign' });
          await journalOf(vfs).recover(unlogged);
          await journalOf(vfs).run('b.md', intentFor('b.md', null, 'b'), () => writeText(vfs, 'b.md', 'b'), { resolve: unlogged });
        },
        async ({ vfs }) => {
          assert.deepEqual(await journalOf(vfs).recover(unlogged), []);
          assert.equal(await readText(vfs, path), 'foreign');
          assert.equal(await readText(vfs, 'b.md'), 'b');
        },
      ));
  }
};

/** Registers the tests of leftover intents: the outcome table, `keepIntent`, one report each (§6.3). */
export const registerLeftoverTests = (harness: ContractHarness<'vfs'>): void => {
  registerOutcomeTests(harness);
  registerKeepTests(harness);
};
