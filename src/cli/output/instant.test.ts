import { expect, test } from 'vitest';
import { parseSince, relativeTime, shortInstant } from './instant.ts';

const now = new Date('2026-05-16T14:00:00.000Z');

test.each([
  ['2026-05-16T13:59:59.500Z', 'just now'],
  ['2026-05-16T13:59:18.000Z', '42 s ago'],
  ['2026-05-16T13:10:00.000Z', '50 min ago'],
  ['2026-05-16T11:30:00.000Z', '2 h ago'],
  ['2026-05-15T13:00:00.000Z', '1 day ago'],
  ['2026-05-01T13:00:00.000Z', '15 days ago'],
  ['2026-05-16T14:01:30.000Z', 'in 1 min'],
])('%s is %s', (instant, words) => {
  expect(relativeTime(instant, now)).toBe(words);
});

test('since reads dates, instants and spans, and refuses anything else', () => {
  expect(parseSince('90m', now).toISOString()).toBe('2026-05-16T12:30:00.000Z');
  expect(parseSince('2026-05-01', now).toISOString()).toBe('2026-05-01T00:00:00.000Z');
  expect(parseSince('2026-05-01T10:00:00+02:00', now).toISOString()).toBe('2026-05-01T08:00:00.000Z');
  for (const wrong of ['yesterday', '5', '2026-13-01', '7 d']) expect(() => parseSince(wrong, now)).toThrow('is not a time');
});

test('a short instant loses only its fraction', () => {
  expect(shortInstant('2026-05-16T14:00:00.123Z')).toBe('2026-05-16T14:00:00Z');
});
