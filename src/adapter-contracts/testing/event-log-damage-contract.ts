import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { CanonicalEvent, LogDamage } from '#adapter-contracts';
import { acrossReopen, type DurableHarness, locationOf, type OpenOptions, type OpenStore } from './contract-harness.ts';
import { appendAll, eventIds, replayAll } from './event-replay.ts';
import { fakeClock } from './fake-clock.ts';
import { assertDuplicateEvent } from './refusal.ts';
import { sampleEvent, sampleHash } from './sample-event.ts';

/** How the suite finds the files of a log: lines of JSON, one event each, ended by a line feed, in append order over all files. */
export interface EventLogFiles {
  /** Absolute paths of the log's files for a closed store, oldest first. */
  list(location: string): readonly string[];
  /** A fresh store whose log begins a new file after a few events. */
  openRotating(options: OpenOptions): Promise<OpenStore<'events'>>;
}

const workspaceId = 'ws-acme';

/** Appends `all`, closes, lets `harm` change the closed log's only file, and hands what a new opening finds to `check`. */
const withHarmedLog = (
  harness: DurableHarness<'events'>,
  files: EventLogFiles,
  all: readonly CanonicalEvent[],
  harm: (file: string) => void,
  check: (store: OpenStore<'events'>, file: string) => Promise<void>,
): Promise<void> => {
  let location = '';
  const harmed: DurableHarness<'events'> = {
    ...harness,
    reopen(where, options) {
      location = where;
      for (const file of files.list(where)) harm(file);
      return harness.reopen(where, options);
    },
  };
  return acrossReopen(
    harmed,
    ({ events }) => appendAll(events, all),
    async store => {
      const [file, ...more] = files.list(location);
      assert.ok(file !== undefined && more.length === 0, 'three small events must fit one log file');
      await check(store, file);
    },
  );
};

const lineOf = (file: string, event: CanonicalEvent): { readonly start: number; readonly end: number } => {
  const bytes = readFileSync(file);
  const at = bytes.indexOf(event.event_id);
  assert.ok(at >= 0, `the log file must name ${event.event_id}`);
  return { start: bytes.lastIndexOf('\n', at) + 1, end: bytes.indexOf('\n', at) + 1 };
};

/** Puts `insert` into the file in front of the line that holds `event`. */
const insertBefore = (file: string, event: CanonicalEvent, insert: Uint8Array): void => {
  const bytes = readFileSync(file);
  const { start } = lineOf(file, event);
  writeFileSync(file, Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start)]));
};

const assertDamageAt = (damage: readonly LogDamage[], file: string, from: number, to: number): void => {
  const found = damage.find(({ offset, length }) => offset >= from && offset < to && offset + length <= to && length > 0);
  assert.ok(found !== undefined, `damage between bytes ${from} and ${to} must be reported; got ${JSON.stringify(damage)}`);
  assert.equal(basename(found.file), basename(file));
  assert.ok(found.reason.length > 0);
};

const registerTailTests = (harness: DurableHarness<'events'>, files: EventLogFiles): void => {
  const { test } = harness;
  test('half a line at the end of the log is no event and does not spoil the next one', () => {
    const all = [sampleEvent(), sampleEvent(), sampleEvent()];
    const torn = JSON.stringify(sampleEvent());
    return withHarmedLog(
      harness,
      files,
      all,
      file => appendFileSync(file, torn.slice(0, torn.length / 2)),
      async ({ events }) => {
        assert.deepEqual(eventIds(await replayAll(events)), eventIds(all));
        const later = sampleEvent();
        await events.append(later);
        assert.deepEqual(eventIds(await replayAll(events)), eventIds([...all, later]));
        for (const event of [...all, later]) assert.deepEqual(await events.findByIdempotencyKey(workspaceId, event.idempotency_key), event);
      },
    );
  });

  test('a whole record without its line feed was never acknowledged and does not count', () => {
    const all = [sampleEvent(), sampleEvent()];
    const unfinished = sampleEvent();
    return withHarmedLog(
      harness,
      files,
      all,
      file => appendFileSync(file, JSON.stringify(unfinished)),
      async ({ events }) => {
        assert.deepEqual(eventIds(await replayAll(events)), eventIds(all));
        assert.equal(await events.findById(unfinished.event_id), null);
        assert.equal(await events.findByIdempotencyKey(workspaceId, unfinished.idempotency_key), null);
        await events.append(unfinished);
        assert.deepEqual(eventIds(await replayAll(events)), eventIds([...all, unfinished]));
      },
    );
  });

  test('an event cut short can be appended again', () => {
    const all = [sampleEvent(), sampleEvent(), sampleEvent()] as const;
    return withHarmedLog(
      harness,
      files,
      all,
      file => writeFileSync(file, readFileSync(file).subarray(0, lineOf(file, all[2]).end - 20)),
      async ({ events }) => {
        assert.deepEqual(eventIds(await replayAll(events)), eventIds(all.slice(0, 2)));
        assert.equal(await events.findByIdempotencyKey(workspaceId, all[2].idempotency_key), null);
        await events.append(all[2]);
        assert.deepEqual(eventIds(await replayAll(events)), eventIds(all));
      },
    );
  });
};

const registerInnerDamageTests = (harness: DurableHarness<'events'>, files: EventLogFiles): void => {
  const { test } = harness;
  const harms: Readonly<Record<string, string>> = {
    'a run of NUL bytes': `${'\u0000'.repeat(512)}\n`,
    'a line that is not JSON': '{"event_id": "half\n',
    'a JSON value that is no event': '["not", "an", "event"]\n',
    'an object that lacks the fields of an event': '{"event_id":"e"}\n',
  };
  for (const [what, text] of Object.entries(harms)) {
    test(`${what} inside the log is reported with its place and hides no later event`, () => {
      const all = [sampleEvent(), sampleEvent()] as const;
      return withHarmedLog(
        harness,
        files,
        all,
        file => insertBefore(file, all[1], Buffer.from(text)),
        async ({ events }, file) => {
          assert.deepEqual(eventIds(await replayAll(events)), eventIds(all));
          const { start } = lineOf(file, all[1]);
          assertDamageAt(await events.damage(), file, start - text.length, start);
          for (const event of all) {
            assert.deepEqual(await events.findByIdempotencyKey(workspaceId, event.idempotency_key), event);
            await assertDuplicateEvent(() => events.append(event), 'event_id');
          }
          const later = sampleEvent();
          await events.append(later);
          const replayed = await replayAll(events);
          assert.deepEqual(eventIds(replayed), eventIds([...all, later]));
          assert.deepEqual(eventIds(await replayAll(events, { cursor: replayed[0]?.cursor ?? '' })), eventIds([all[1], later]));
        },
      );
    });
  }

  test('an event id that stands twice is reported, and the first event under its key decides', () => {
    const all = [sampleEvent(), sampleEvent()] as const;
    return withHarmedLog(
      harness,
      files,
      all,
      file => appendFileSync(file, `${JSON.stringify({ ...all[0], subject: 'memory/copy.md' })}\n`),
      async ({ events }, file) => {
        const damage = await events.damage();
        assert.ok(
          damage.some(({ reason, file: where }) => reason.includes(all[0].event_id) && basename(where) === basename(file)),
          `the id that stands twice must be named; got ${JSON.stringify(damage)}`,
        );
        assert.deepEqual(await events.findByIdempotencyKey(workspaceId, all[0].idempotency_key), all[0]);
        assert.deepEqual(await events.findById(all[0].event_id), all[0]);
        await assertDuplicateEvent(() => events.append(all[0]), 'event_id');
      },
    );
  });

  test('an event that a merge repeats does not turn back what is recorded', () => {
    const subject = 'memory/sample.md';
    const all = [sampleEvent({ subject, after_hash: sampleHash('b') }), sampleEvent({ subject, after_hash: sampleHash('c') })] as const;
    return withHarmedLog(
      harness,
      files,
      all,
      file => appendFileSync(file, `${JSON.stringify(all[0])}\n`),
      async ({ events }) => assert.equal((await events.lastRecorded(workspaceId, subject))?.hash, sampleHash('c')),
    );
  });
};

const registerRotationTests = (harness: DurableHarness<'events'>, files: EventLogFiles): void => {
  const { test } = harness;
  const all = Array.from({ length: 120 }, () => sampleEvent());
  const assertWhole = async ({ events }: OpenStore<'events'>): Promise<void> => {
    const replayed = await replayAll(events);
    assert.deepEqual(eventIds(replayed), eventIds(all));
    for (const index of [0, 1, 59, 118]) {
      const event = all[index] as CanonicalEvent;
      const cursor = replayed[index]?.cursor ?? '';
      assert.deepEqual(eventIds(await replayAll(events, { cursor })), eventIds(all.slice(index + 1)));
      assert.deepEqual(await events.findByIdempotencyKey(workspaceId, event.idempotency_key), event);
      assert.deepEqual(await events.findById(event.event_id), event);
      await assertDuplicateEvent(() => events.append(event), 'event_id');
      await assertDuplicateEvent(() => events.append(sampleEvent({ idempotency_key: event.idempotency_key })), 'idempotency_key');
    }
    assert.deepEqual(await events.damage(), []);
  };

  test('a log of many files is one log, before and after opening it again', async () => {
    const clock = fakeClock();
    const store = await files.openRotating({ clock });
    const location = locationOf(store);
    try {
      await appendAll(store.events, all);
      await assertWhole(store);
    } finally {
      await store.close?.();
    }
    assert.ok(files.list(location).length > 1, 'the log must have begun at least one new file');
    const again = await harness.reopen(location, { clock });
    try {
      await assertWhole(again);
    } finally {
      await again.close?.();
    }
  });

  test('begun files of a rotated log are never changed again', async () => {
    const store = await files.openRotating({ clock: fakeClock() });
    try {
      await appendAll(store.events, all.slice(0, 100));
      const earlier = files.list(locationOf(store)).map(file => ({ file, bytes: readFileSync(file) }));
      await appendAll(store.events, all.slice(100));
      for (const { file, bytes } of earlier) assert.ok(readFileSync(file).subarray(0, bytes.length).equals(bytes), `${file} was rewritten`);
    } finally {
      await store.close?.();
    }
  });
};

/** Registers the tests of logs that live in files: torn tails, damaged lines, rotation (§8.1, readings: damaged logs). */
export const registerDamageTests = (harness: DurableHarness<'events'>, files: EventLogFiles): void => {
  registerTailTests(harness, files);
  registerInnerDamageTests(harness, files);
  registerRotationTests(harness, files);
};
