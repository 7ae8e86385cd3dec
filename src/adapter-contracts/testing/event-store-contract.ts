import assert from 'node:assert/strict';
import { acrossReopen, type ContractHarness, isDurable, withStore, withTwoOpenings } from './contract-harness.ts';
import { type EventLogFiles, registerDamageTests } from './event-log-damage-contract.ts';
import { registerRecordedStateTests } from './event-recorded-state-contract.ts';
import { appendAll, assertHolds, eventIds, replayAll } from './event-replay.ts';
import { registerUniquenessTests } from './event-uniqueness-contract.ts';
import { opaqueStrings } from './opaque-strings.ts';
import { assertDuplicateEvent, assertRefused } from './refusal.ts';
import { sampleEvent, sampleEvents } from './sample-event.ts';

/** What an event store's harness may declare beyond the common capabilities. */
export interface EventStoreHarness extends ContractHarness<'events'> {
  /** For logs kept in files: adds the tests of rotation, torn tails and damaged lines. Needs `reopen`. */
  readonly logFiles?: EventLogFiles;
}

const workspaceId = 'ws-acme';

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

  test('the end of the log waits for later events, and is null while there are none', () =>
    withStore(harness, async ({ events }) => {
      assert.equal(await events.end(), null);
      await appendAll(events, sampleEvents(3));
      const cursor = (await events.end()) ?? '';
      assert.deepEqual(await replayAll(events, { cursor }), []);
      const later = sampleEvents(2);
      await appendAll(events, later);
      assert.deepEqual(eventIds(await replayAll(events, { cursor })), eventIds(later));
    }));

  test('the cursor after an event is the one that replay gave with it', () =>
    withStore(harness, async ({ events }) => {
      await appendAll(events, sampleEvents(7));
      for (const { event, cursor } of await replayAll(events)) assert.equal(await events.cursorAfter(event.event_id), cursor);
      assert.equal(await events.cursorAfter('no-such-event'), null);
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
    const { logFiles } = harness;
    if (logFiles !== undefined) {
      if (!isDurable(harness)) throw new Error('a harness with `logFiles` must offer `reopen`');
      registerDamageTests(harness, logFiles);
    }
  });
};
