import assert from 'node:assert/strict';
import type { CanonicalEvent, EventStore, Replayed, ReplayOptions } from '#adapter-contracts';

export const appendAll = async (events: EventStore, all: readonly CanonicalEvent[]): Promise<void> => {
  for (const event of all) await events.append(event);
};

export const replayAll = async (events: EventStore, options?: ReplayOptions): Promise<readonly Replayed[]> => {
  const all: Replayed[] = [];
  for await (const replayed of events.replay(options)) all.push(replayed);
  return all;
};

/** The ids of events, or of what a replay gave, in their order. */
export const eventIds = (all: readonly (CanonicalEvent | Replayed)[]): string[] =>
  all.map(item => ('event' in item ? item.event.event_id : item.event_id));

/** Checks that the log holds exactly these events in this order. */
export const assertHolds = async (events: EventStore, expected: readonly CanonicalEvent[]): Promise<void> => {
  assert.deepEqual(
    (await replayAll(events)).map(({ event }) => event),
    expected,
  );
};
