import { expect, test } from 'vitest';
import { intervalSchedule } from './interval.ts';
import { ScheduleError } from './schedule.ts';

const at = (text: string): number => Date.parse(text);

test.each([
  ['30s', 30],
  ['15m', 900],
  ['2h', 7200],
  ['1d', 86_400],
  ['PT90M', 5400],
  ['P1DT12H', 129_600],
  ['P2W', 1_209_600],
])('%s is %i seconds, counted from 1970', (span, seconds) => {
  const schedule = intervalSchedule(span);
  const length = seconds * 1000;
  expect(schedule.next(0)).toBe(length);
  expect(schedule.next(length - 1)).toBe(length);
  expect(schedule.previous(length)).toBe(0);
  expect(schedule.previous(length + 1)).toBe(length);
});

test('an anchor moves every instant, also those before it', () => {
  const schedule = intervalSchedule('1d', '2026-05-16T08:00:00Z');
  expect(schedule.next(at('2026-05-16T08:00:00Z'))).toBe(at('2026-05-17T08:00:00Z'));
  expect(schedule.previous(at('2026-05-16T08:00:00Z'))).toBe(at('2026-05-15T08:00:00Z'));
});

test.each(['', '5', '5x', '0s', '-1h', '1.5h', 'P', 'PT', 'P1M', 'P1Y', 'PT0S', '99999999999d'])("'%s' is refused as a span", span => {
  expect(() => intervalSchedule(span)).toThrow(ScheduleError);
  expect(() => intervalSchedule(span)).toThrow(expect.objectContaining({ field: 'interval' }));
});

test('an anchor that is no time is refused', () => {
  expect(() => intervalSchedule('1h', 'soon')).toThrow(/'soon' is no ISO 8601 time/);
});
