import assert from 'node:assert/strict';
import { DuplicateKeyError, type IdempotencyRecord, systemClock } from '#adapter-contracts';
import { compiledModule, raceTasks } from './child-task.ts';
import { acrossReopen, type ContractHarness, isDurable, locationOf, withStore, withTwoOpenings } from './contract-harness.ts';
import { type PutTask, sentStore } from './contract-tasks.ts';
import { opaqueStrings } from './opaque-strings.ts';
import { assertOneWinner, outcomeOf } from './refusal.ts';

const workspaceId = 'ws-acme';

const recordSaying = (text: string): IdempotencyRecord => ({
  request_hash: `sha256:${text}`,
  response: { success: true, path: 'memory/ü.md', validation: { errors: [], warnings: [text] }, nested: [1, null, { deep: '\u2028' }] },
  recorded_at: '2026-05-16T08:00:00.000Z',
});

/**
 * Registers the tests of the idempotency store contract (§6.4, §6.7). `reopen` adds durability and two openings at once, `multiProcess` the race
 * across processes.
 */
export const idempotencyStoreContract = (harness: ContractHarness<'idempotency'>): void => {
  const { describe, test, multiProcess } = harness;
  describe(`idempotency store contract: ${harness.name}`, () => {
    test('a key nobody used has no record', () =>
      withStore(harness, async ({ idempotency }) => {
        assert.equal(await idempotency.get(workspaceId, 'k'), null);
      }));

    test('a record comes back as it was put', () =>
      withStore(harness, async ({ idempotency }) => {
        await idempotency.put(workspaceId, 'k', recordSaying('first'));
        assert.deepEqual(await idempotency.get(workspaceId, 'k'), recordSaying('first'));
        assert.deepEqual(await idempotency.get(workspaceId, 'k'), recordSaying('first'));
      }));

    test('a second put for a key is refused and the first record stands', () =>
      withStore(harness, async ({ idempotency }) => {
        await idempotency.put(workspaceId, 'k', recordSaying('first'));
        await assert.rejects(idempotency.put(workspaceId, 'k', recordSaying('second')), DuplicateKeyError);
        await assert.rejects(idempotency.put(workspaceId, 'k', recordSaying('first')), DuplicateKeyError, 'also for an equal record');
        assert.deepEqual(await idempotency.get(workspaceId, 'k'), recordSaying('first'));
      }));

    test('a key belongs to its workspace', () =>
      withStore(harness, async ({ idempotency }) => {
        await idempotency.put('ws-a', 'b/k', recordSaying('a'));
        await idempotency.put('ws-b', 'b/k', recordSaying('b'));
        await idempotency.put('ws-a/b', 'k', recordSaying('ab'));
        assert.deepEqual(await idempotency.get('ws-a', 'b/k'), recordSaying('a'));
        assert.deepEqual(await idempotency.get('ws-b', 'b/k'), recordSaying('b'));
        assert.deepEqual(await idempotency.get('ws-a/b', 'k'), recordSaying('ab'));
      }));

    test('keys and workspace ids are opaque strings', () =>
      withStore(harness, async ({ idempotency }) => {
        for (const text of opaqueStrings) {
          await idempotency.put(text, text, recordSaying(text));
          await assert.rejects(idempotency.put(text, text, recordSaying(text)), DuplicateKeyError);
        }
        for (const text of opaqueStrings) assert.deepEqual(await idempotency.get(text, text), recordSaying(text));
      }));

    test('changing the object that was put changes nothing that is stored', () =>
      withStore(harness, async ({ idempotency }) => {
        const response = { success: true };
        await idempotency.put(workspaceId, 'k', { ...recordSaying('first'), response });
        response.success = false;
        assert.deepEqual((await idempotency.get(workspaceId, 'k'))?.response, { success: true });
      }));

    test('of many puts for one key at once exactly one succeeds', () =>
      withStore(harness, async ({ idempotency }) => {
        const contenders = Array.from({ length: 30 }, (_, index) => recordSaying(`writer ${index}`));
        const outcomes = await Promise.all(contenders.map(record => outcomeOf(() => idempotency.put(workspaceId, 'k', record))));
        assertOneWinner(outcomes, 'duplicate key');
        assert.deepEqual(await idempotency.get(workspaceId, 'k'), contenders[outcomes.indexOf('won')]);
      }));

    if (isDurable(harness)) {
      test('records and refusals outlive the store', () =>
        acrossReopen(
          harness,
          ({ idempotency }) => idempotency.put(workspaceId, 'k', recordSaying('first')),
          async ({ idempotency }) => {
            assert.deepEqual(await idempotency.get(workspaceId, 'k'), recordSaying('first'));
            await assert.rejects(idempotency.put(workspaceId, 'k', recordSaying('second')), DuplicateKeyError);
          },
        ));

      test('two openings of one store refuse each other’s keys', () =>
        withTwoOpenings(harness, async (one, other) => {
          await one.idempotency.put(workspaceId, 'k', recordSaying('one'));
          assert.deepEqual(await other.idempotency.get(workspaceId, 'k'), recordSaying('one'));
          await assert.rejects(other.idempotency.put(workspaceId, 'k', recordSaying('other')), DuplicateKeyError);
        }));
    }

    if (multiProcess !== undefined) {
      test('of eight processes that put one key exactly one succeeds', () =>
        withStore(
          harness,
          async opened => {
            const store = sentStore(multiProcess, locationOf(opened));
            // The children read the system's clock: records must be of today, or a store that expires them (§6.4) may replace them.
            const recorded_at = systemClock.now().toISOString();
            const records = Array.from({ length: 8 }, (_, index) => ({ ...recordSaying(`process ${index}`), recorded_at }));
            const outcomes = await raceTasks<string>(
              records.map(record => ({
                module: compiledModule('contract-tasks'),
                task: 'putOnce',
                argument: { store, workspaceId, key: 'k', record } satisfies PutTask,
              })),
            );
            assertOneWinner(outcomes, 'duplicate key');
            assert.deepEqual(await opened.idempotency.get(workspaceId, 'k'), records[outcomes.indexOf('won')]);
          },
          systemClock,
        ));
    }
  });
};
