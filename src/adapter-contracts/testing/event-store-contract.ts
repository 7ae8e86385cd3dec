import assert from 'node:assert/strict';
import type { CanonicalEvent, EventStore } from '#adapter-contracts';
import { compiledModule, raceTasks } from './child-task.ts';
import { acrossReopen, type ContractHarness, isDurable, locationOf, withStore, withTwoOpenings } from './contract-harness.ts';
import { type AppendTask, sentStore } from './contract-tasks.ts';
import { type EventLogFiles, registerDamageTests } from './event-log-damage-contract.ts';
import { registerRecordedStateTests } from './event-recorded-state-contract.ts';
import { appendAll, eventIds, replayAll } from './event-replay.ts';
import { opaqueStrings } from './opaque-strings.ts';
import { assertDuplicateEvent, assertOneWinner, assertRefused, outcomeOf } from './refusal.ts';
import { sampleEvent } from './sample-event.ts';

/** What an event store's harness may declare beyond the common capabilities. */
export interface EventStoreHarness extends ContractHarness<'events'> {
  /** For logs kept in files: adds the tests of rotation, torn tails and damaged lines. Needs `reopen`. */
  readonly logFiles?: EventLogFiles;
}

const workspaceId = 'ws-acme';

const sampleEvents = (count: number, overrides: Partial<CanonicalEvent> = {}): readonly CanonicalEvent[] =>
  Array.from({ length: count }, () => sampleEvent(overrides));

const assertHolds = async (events: EventStore, expected: readonly CanonicalEvent[]): Promise<void> => {
  assert.deepEqual(
    (await replayAll(events)).map(({ event }) => event),
    expected,
  );
};

const registerReplayTests = (harness: ContractHarness<'events'>): void => {
  const { test } = harness;
  test('an empty log replays nothing and knows nobody', () =>
    withStore(harness, async ({ events }) => {
      assert.deepEqual(await replayAll(events), []);
      assert.equal(await events.findById('e'), null);
      assert.equal(await events.findByIdempotencyKey(workspaceId, 'k'), null);
      assert.deepEqual(await events.damage(), []);
    }));

  test('events replay whole and in append order', () =>
    withStore(harness, async ({ events }) => {
      // Timestamps run backwards: order is append order, not time (§8.1).
      const all = sampleEvents(20).map((event, index) => ({ ...event, timestamp: `2026-05-16T08:00:${String(59 - index)}.000Z` }));
      await appendAll(events, all);
      await assertHolds(events, all);
      assert.deepEqual(await events.damage(), []);
    }));

  test('every cursor continues right after its event, with and without a workspace', () =>
    withStore(harness, async ({ events }) => {
      const all = Array.from({ length: 12 }, (_, index) => sampleEvent({ workspace_id: index % 3 === 0 ? 'ws-other' : workspaceId }));
      await appendAll(events, all);
      for (const [index, { cursor }] of (await replayAll(events)).entries()) {
        const rest = all.slice(index + 1);
        assert.deepEqual(eventIds(await replayAll(events, { cursor })), eventIds(rest));
        const own = rest.filter(event => event.workspace_id === workspaceId);
        assert.deepEqual(eventIds(await replayAll(events, { cursor, workspaceId })), eventIds(own));
      }
      for (const { event, cursor } of await replayAll(events, { workspaceId: 'ws-other' })) {
        const rest = all.slice(all.findIndex(({ event_id }) => event_id === event.event_id) + 1);
        assert.deepEqual(eventIds(await replayAll(events, { cursor })), eventIds(rest), 'a filtered replay gives cursors of the whole log');
      }
    }));

  test('the last cursor waits for later events', () =>
    withStore(harness, async ({ events }) => {
      await appendAll(events, sampleEvents(3));
      const cursor = (await replayAll(events)).at(-1)?.cursor ?? '';
      assert.deepEqual(await replayAll(events, { cursor }), []);
      const later = sampleEvent();
      await events.append(later);
      assert.deepEqual(eventIds(await replayAll(events, { cursor })), [later.event_id]);
    }));

  test('a cursor the log never gave is refused', () =>
    withStore(harness, async ({ events }) => {
      await appendAll(events, sampleEvents(3));
      for (const cursor of ['', 'nonsense', '-1', '999999999', '1e1', '__proto__', '../x', `${'9'.repeat(400)}`]) {
        await assertRefused(() => replayAll(events, { cursor }), 'invalid_request', `cursor '${cursor}':`);
      }
    }));

  test('a consumer that appends while it replays comes to an end', () =>
    withStore(harness, async ({ events }) => {
      await appendAll(events, sampleEvents(5));
      let seen = 0;
      for await (const { event } of events.replay()) {
        seen += 1;
        assert.ok(seen < 1000, 'the replay chases the events its consumer appends');
        await events.append(sampleEvent({ causation_id: event.event_id }));
      }
      assert.equal((await replayAll(events)).length, 5 + seen);
    }));

  test('a replay can be left early and begun again', () =>
    withStore(harness, async ({ events }) => {
      const all = sampleEvents(5);
      await appendAll(events, all);
      for await (const { event } of events.replay()) {
        assert.deepEqual(event, all[0]);
        break;
      }
      await assertHolds(events, all);
    }));
};

const registerRecordTests = (harness: ContractHarness<'events'>): void => {
  const { test } = harness;
  test('every JSON value survives as payload', () =>
    withStore(harness, async ({ events }) => {
      const payloads: unknown[] = [
        null,
        false,
        0,
        -0.5,
        1e300,
        '',
        'line\nbreak, \u2028 separator, \u0000 NUL, "quotes" and \\',
        'lone surrogate \ud800 and 🗝️',
        [],
        [null, [[]]],
        {},
        JSON.parse('{"__proto__":{"a":1},"constructor":null,"":{"":[]}}'),
        'x'.repeat(200_000),
      ];
      const all = payloads.map(payload => sampleEvent({ action: 'event', payload, after_hash: null }));
      await appendAll(events, all);
      await assertHolds(events, all);
      for (const event of all) assert.deepEqual(await events.findById(event.event_id), event);
    }));

  test('keys and workspace ids are opaque strings', () =>
    withStore(harness, async ({ events }) => {
      const all = opaqueStrings.map(text => sampleEvent({ workspace_id: text, idempotency_key: text }));
      await appendAll(events, all);
      await assertHolds(events, all);
      for (const event of all) {
        assert.deepEqual(await events.findByIdempotencyKey(event.workspace_id, event.idempotency_key), event);
        assert.deepEqual(eventIds(await replayAll(events, { workspaceId: event.workspace_id })), [event.event_id]);
      }
    }));

  test('changing the object that was appended changes nothing in the log', () =>
    withStore(harness, async ({ events }) => {
      const payload = { list: [1] };
      const event = sampleEvent({ action: 'event', payload });
      await events.append(event);
      payload.list.push(2);
      assert.deepEqual((await events.findById(event.event_id))?.payload, { list: [1] });
    }));
};

const registerUniquenessTests = (harness: ContractHarness<'events'>): void => {
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

const registerDurabilityTests = (harness: ContractHarness<'events'>): void => {
  const { test } = harness;
  if (!isDurable(harness)) return;
  test('the log, its cursors and its refusals outlive the store', () =>
    acrossReopen(
      harness,
      async ({ events }) => {
        const all = sampleEvents(10);
        await appendAll(events, all);
        return { all, cursor: (await replayAll(events))[4]?.cursor ?? '' };
      },
      async ({ events }, { all, cursor }) => {
        await assertHolds(events, all);
        assert.deepEqual(eventIds(await replayAll(events, { cursor })), eventIds(all.slice(5)));
        for (const event of all) {
          assert.deepEqual(await events.findByIdempotencyKey(workspaceId, event.idempotency_key), event);
          assert.deepEqual(await events.findById(event.event_id), event);
          await assertDuplicateEvent(() => events.append(event), 'event_id');
          await assertDuplicateEvent(() => events.append(sampleEvent({ idempotency_key: event.idempotency_key })), 'idempotency_key');
        }
        const later = sampleEvent();
        await events.append(later);
        await assertHolds(events, [...all, later]);
      },
    ));

  test('two openings of one log append to one history', () =>
    withTwoOpenings(harness, async ({ events: one }, { events: other }) => {
      const all = sampleEvents(10);
      for (const [index, event] of all.entries()) await (index % 2 === 0 ? one : other).append(event);
      await assertHolds(one, all);
      await assertHolds(other, all);
      for (const event of all) {
        await assertDuplicateEvent(() => one.append(event), 'event_id');
        await assertDuplicateEvent(() => other.append(sampleEvent({ idempotency_key: event.idempotency_key })), 'idempotency_key');
        assert.deepEqual(await other.findByIdempotencyKey(workspaceId, event.idempotency_key), event);
      }
    }));
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

/**
 * Registers the tests of the event store contract (§8, §6.7). `reopen` adds durability and two openings at once, `multiProcess` the races across
 * processes, `logFiles` rotation, torn tails and damaged lines.
 */
export const eventStoreContract = (harness: EventStoreHarness): void => {
  harness.describe(`event store contract: ${harness.name}`, () => {
    registerReplayTests(harness);
    registerRecordTests(harness);
    registerUniquenessTests(harness);
    registerRecordedStateTests(harness);
    registerDurabilityTests(harness);
    registerProcessRaces(harness);
    const { logFiles } = harness;
    if (logFiles !== undefined) {
      if (!isDurable(harness)) throw new Error('a harness with `logFiles` must offer `reopen`');
      registerDamageTests(harness, logFiles);
    }
  });
};
