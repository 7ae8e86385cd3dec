import { setImmediate as turn } from 'node:timers/promises';
import type { LogDamage } from '#adapter-contracts';
import type { EventIndex } from './event-index.ts';
import type { EventSegments } from './event-segments.ts';

const idsPerTurn = 5_000;
/** More are counted, not kept by name. */
const mostMissing = 10_000;
const mostNamed = 3;

/**
 * Notes in `index`, which is level with the log, every event that an index of before knew and the log does not hold any more: a checkout, merge or
 * restore exchanged the log. Resolves to the message about them, or null. What was missing before and is there again is forgotten.
 */
export const noteMissing = async (before: readonly EventIndex[], index: EventIndex): Promise<string | null> => {
  const missing = new Set<string>();
  let count = 0;
  const look = (id: string): void => {
    if (missing.size < mostMissing && index.findById(id) === null) missing.add(id);
  };
  for (const old of before) {
    for (const { kind, detail } of old.findings()) if (kind === 'missing') look(detail);
    for (const id of old.eventIds()) {
      look(id);
      count += 1;
      if (count % idsPerTurn === 0) await turn();
    }
  }
  if (missing.size === 0) return null;
  const transaction = index.begin();
  try {
    for (const detail of missing) transaction.note({ kind: 'missing', place: { segment: 0, offset: 0, length: 0 }, detail });
    transaction.commit();
  } catch (error) {
    transaction.rollback();
    throw error;
  }
  return missingMessage([...missing]);
};

export const repeatedMessage = (eventId: string, file: string, offset: number): string =>
  `Event '${eventId}' stands a second time in the log (${file}, byte ${offset}); the first one counts, nothing was removed.`;

const missingMessage = (ids: readonly string[]): string => {
  const named = ids.slice(0, mostNamed).join(', ');
  const rest = ids.length > mostNamed ? ` and ${ids.length >= mostMissing ? 'many' : ids.length - mostNamed} more` : '';
  return `${ids.length === 1 ? 'An event that was' : 'Events that were'} in the log ${ids.length === 1 ? 'is' : 'are'} not there any more: ${named}${rest}. A checkout, merge or restore took ${ids.length === 1 ? 'it' : 'them'} away; bring back the segments of .ssss/events that hold ${ids.length === 1 ? 'it' : 'them'}, or delete .ssss/derived to accept the log as it is.`;
};

/** What the index has met, as damage of the log. Events that were missing and are there again are no damage. */
export const damageOf = (index: EventIndex, segments: EventSegments): readonly LogDamage[] => {
  const findings = index.findings();
  const missing = findings.filter(({ kind, detail }) => kind === 'missing' && index.findById(detail) === null).map(({ detail }) => detail);
  const placed = findings.flatMap(({ kind, place: { segment, offset, length }, detail }): readonly LogDamage[] => {
    if (kind === 'missing') return [];
    const file = segments.shown(segment);
    return [{ kind, file, offset, length, reason: kind === 'repeated' ? repeatedMessage(detail, file, offset) : detail }];
  });
  if (missing.length === 0) return placed;
  return [...placed, { kind: 'missing', file: '.ssss/events', offset: 0, length: 0, reason: missingMessage(missing) }];
};
