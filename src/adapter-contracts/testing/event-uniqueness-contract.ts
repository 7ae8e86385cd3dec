import assert from 'node:assert/strict';
import type { CanonicalEvent, EventStore } from '#adapter-contracts';
import { compiledModule, raceTasks } from './child-task.ts';
import { type ContractHarness, locationOf, withStore } from './contract-harness.ts';
import { type AppendTask, sentStore } from './contract-tasks.ts';
import { appendAll, assertHolds, eventIds, replayAll } from './event-replay.ts';
import { assertDuplicateEvent, assertOneWinner, outcomeOf } from './refusal.ts';
import { sampleEvent, sampleEvents } from './sample-event.ts';

const workspaceId = 'ws-acme';

const registerRefusalTests = (harness: ContractHarness<'events'>): void => {
  const { test } = harness;
  test('a second event with an id of the log is refused, in every workspace', () =>
    withStore(harness, async ({ events }) => {
      const first = sampleEvent();
      await events.append(first);
      for (const again of [
        first,
        sampleEvent({ event_id: first.event_id }),
        sampleEvent({ event_id: first.event_id, workspace_id: 'ws-other' }),
      ]) {
        await assertDuplicateEvent(() => events.append(again), 'event_id');
      }
      await assertHolds(events, [first]);
      assert.equal(await events.findByIdempotencyKey('ws-other', first.idempotency_key), null);
    }));

  test('a second event under a key of the same workspace is refused; the first one decides', () =>
    withStore(harness, async ({ events }) => {
      const first = sampleEvent({ idempotency_key: 'k' });
      const elsewhere = sampleEvent({ idempotency_key: 'k', workspace_id: 'ws-other' });
      await events.append(first);
      const second = sampleEvent({ idempotency_key: 'k', subject: 'memory/other.md' });
      await assertDuplicateEvent(() => events.append(second), 'idempotency_key');
      await events.append(elsewhere);
      await assertHolds(events, [first, elsewhere]);
      assert.deepEqual(await events.findByIdempotencyKey(workspaceId, 'k'), first);
      assert.deepEqual(await events.findByIdempotencyKey('ws-other', 'k'), elsewhere);
      assert.equal(await events.findById(second.event_id), null);
      assert.equal(await events.lastRecorded(workspaceId, 'memory/other.md'), null, 'a refused event leaves no trace');
    }));

  test('a refused append does not disturb those around it', () =>
    withStore(harness, async ({ events }) => {
      const first = sampleEvent();
      const others = sampleEvents(10);
      const outcomes = await Promise.all(
        [first, ...others.slice(0, 5), first, ...others.slice(5), first].map(event => outcomeOf(() => events.append(event))),
      );
      assert.equal(outcomes.filter(outcome => outcome === 'won').length, 11);
      assert.deepEqual(eventIds(await replayAll(events)).sort(), eventIds([first, ...others]).sort());
    }));

  test('of many appends of one id, or of one key, at once exactly one succeeds', () =>
    withStore(harness, async ({ events }) => {
      const sameId = Array.from({ length: 30 }, () => sampleEvent({ event_id: 'one-id' }));
      assertOneWinner(await Promise.all(sameId.map(event => outcomeOf(() => events.append(event)))), 'duplicate event_id');
      const sameKey = Array.from({ length: 30 }, () => sampleEvent({ idempotency_key: 'one-key' }));
      const outcomes = await Promise.all(sameKey.map(event => outcomeOf(() => events.append(event))));
      assertOneWinner(outcomes, 'duplicate idempotency_key');
      assert.equal((await replayAll(events)).length, 2);
      assert.deepEqual(await events.findByIdempotencyKey(workspaceId, 'one-key'), sameKey[outcomes.indexOf('won')]);
    }));

  test('many writers at once lose nothing and each keeps its order', () =>
    withStore(harness, async ({ events }) => {
      const writers = Array.from({ length: 8 }, (_, index) => sampleEvents(20, { correlation_id: `writer-${index}` }));
      await Promise.all(writers.map(own => appendAll(events, own)));
      await assertEachInOrder(events, writers);
    }));
};

/** Everything there exactly once, and each writer's events in the order it appended them. */
const assertEachInOrder = async (events: EventStore, writers: readonly (readonly CanonicalEvent[])[]): Promise<void> => {
  const replayed = (await replayAll(events)).map(({ event }) => event);
  assert.equal(replayed.length, writers.flat().length);
  for (const own of writers) {
    const [first] = own;
    assert.deepEqual(eventIds(replayed.filter(event => event.correlation_id === first?.correlation_id)), eventIds(own));
  }
};

const registerProcessRaces = (harness: ContractHarness<'events'>): void => {
  const { test, multiProcess } = harness;
  if (multiProcess === undefined) return;
  const race = (location: string, batches: readonly (readonly CanonicalEvent[])[]) =>
    raceTasks<readonly string[]>(
      batches.map(events => ({
        module: compiledModule('contract-tasks'),
        task: 'appendEach',
        argument: { store: sentStore(multiProcess, location), events } satisfies AppendTask,
      })),
    );

  test('of eight processes that append one event id exactly one succeeds', () =>
    withStore(harness, async opened => {
      const batches = Array.from({ length: 8 }, () => [sampleEvent({ event_id: 'one-id' })]);
      const outcomes = await race(locationOf(opened), batches);
      assertOneWinner(outcomes.flat(), 'duplicate event_id');
      await assertHolds(opened.events, batches[outcomes.flat().indexOf('won')] ?? []);
    }));

  test('of eight processes that append under one key exactly one succeeds', () =>
    withStore(harness, async opened => {
      const batches = Array.from({ length: 8 }, () => [sampleEvent({ idempotency_key: 'one-key' })]);
      const outcomes = await race(locationOf(opened), batches);
      assertOneWinner(outcomes.flat(), 'duplicate idempotency_key');
      await assertHolds(opened.events, batches[outcomes.flat().indexOf('won')] ?? []);
    }));

  test('eight processes lose nothing and each keeps its order', () =>
    withStore(harness, async opened => {
      const batches = Array.from({ length: 8 }, (_, index) => sampleEvents(harness.rounds ?? 40, { correlation_id: `process-${index}` }));
      const outcomes = await race(locationOf(opened), batches);
      assert.deepEqual(new Set(outcomes.flat()), new Set(['won']));
      await assertEachInOrder(opened.events, batches);
    }));
};

/** Registers the tests of what must stand in a log at most once, and of writers that append at the same time (§8.1). */
export const registerUniquenessTests = (harness: ContractHarness<'events'>): void => {
  registerRefusalTests(harness);
  registerProcessRaces(harness);
};
