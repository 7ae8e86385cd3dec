import { expect, test } from 'vitest';
import { cronSchedule } from './cron.ts';
import { ScheduleError } from './schedule.ts';

const step = 15 * 60_000;
const at = (text: string): number => Date.parse(text);
const iso = (instant: number | null): string | null => (instant === null ? null : new Date(instant).toISOString().replace('.000Z', 'Z'));

const firings = (expression: string, zone: string, from: string, count: number): readonly (string | null)[] => {
  const schedule = cronSchedule(expression, zone);
  const found: (string | null)[] = [];
  for (let instant: number | null = at(from); found.length < count && instant !== null; ) {
    instant = schedule.next(instant);
    found.push(iso(instant));
  }
  return found;
};

test.each([
  [
    'a time in the gap is due at its end',
    '15 2 * * *',
    'America/Denver',
    '2026-03-08T08:30:00Z',
    ['2026-03-08T09:00:00Z', '2026-03-09T08:15:00Z'],
  ],
  [
    'several times in one gap are due once',
    '0,30 2 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00:00Z',
    ['2026-03-29T01:00:00Z', '2026-03-30T00:00:00Z'],
  ],
  [
    'a repeated time is due at its first showing',
    '30 1 * * *',
    'America/New_York',
    '2026-11-01T00:00:00Z',
    ['2026-11-01T05:30:00Z', '2026-11-02T06:30:00Z'],
  ],
  [
    'several repeated times are each due once',
    '0,30 1 * * *',
    'America/New_York',
    '2026-11-01T00:00:00Z',
    ['2026-11-01T05:00:00Z', '2026-11-01T05:30:00Z', '2026-11-02T06:00:00Z'],
  ],
  [
    'every hour is every real hour',
    '0 * * * *',
    'America/New_York',
    '2026-11-01T04:30:00Z',
    ['2026-11-01T05:00:00Z', '2026-11-01T06:00:00Z', '2026-11-01T07:00:00Z'],
  ],
  ['no hour is lost in spring', '0 * * * *', 'Europe/Berlin', '2026-03-29T00:30:00Z', ['2026-03-29T01:00:00Z', '2026-03-29T02:00:00Z']],
  ['a day of 23 hours is no jump', '0 9 * * 0', 'Europe/Paris', '2026-03-26T10:00:00Z', ['2026-03-29T07:00:00Z', '2026-04-05T07:00:00Z']],
  [
    'the clock of half an hour',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-03T12:00:00Z',
    ['2026-10-03T15:30:00Z', '2026-10-04T15:15:00Z'],
  ],
  [
    'a day that a zone left out',
    '0 12 * * *',
    'Pacific/Apia',
    '2011-12-29T00:00:00Z',
    ['2011-12-29T22:00:00Z', '2011-12-30T10:00:00Z', '2011-12-30T22:00:00Z'],
  ],
])('%s', (_, expression, zone, from, expected) => {
  expect(firings(expression, zone, from, expected.length)).toEqual(expected);
});

/** The wall clock that the rule is about, asked a quarter of an hour at a time; no zone's clock changes elsewhere. */
const wallClock = (zone: string) => {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' });
  return (instant: number): string => clock.format(instant);
};

test.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Africa/Casablanca'])(
  'in %s every instant around the changes of a year is one that a walk along the wall clock finds',
  zone => {
    walkAgrees(zone, at('2026-02-10T00:00:00Z'), at('2026-04-10T00:00:00Z'));
    walkAgrees(zone, at('2026-09-20T00:00:00Z'), at('2026-11-10T00:00:00Z'));
  },
);

const walkAgrees = (zone: string, from: number, to: number): void => {
  const wall = wallClock(zone);
  const hourly = cronSchedule('30 * * * *', zone);
  const daily = cronSchedule('30 1,2 * * *', zone);
  const expectedHourly: number[] = [];
  const expectedDaily: number[] = [];
  const shown = new Set<string>();
  let before = wall(from - step);
  for (let instant = from; instant < to; instant += step) {
    const now = wall(instant);
    if (now.endsWith(':30')) expectedHourly.push(instant);
    // Whatever lies between two showings was jumped over.
    const jumped = jumpOver(before, now).some(time => /0[12]:30$/.test(time));
    if (jumped || (/0[12]:30$/.test(now) && !shown.has(now))) expectedDaily.push(instant);
    shown.add(now);
    before = now;
  }
  for (const [schedule, expected] of [
    [hourly, expectedHourly],
    [daily, expectedDaily],
  ] as const) {
    const forward: number[] = [];
    for (let next = schedule.next(from - 1); next !== null && next < to; next = schedule.next(next)) forward.push(next);
    expect(forward.map(iso)).toEqual(expected.map(iso));
    const backward: number[] = [];
    for (let last = schedule.previous(to); last !== null && last >= from; last = schedule.previous(last)) backward.push(last);
    expect(backward.toReversed().map(iso)).toEqual(expected.map(iso));
  }
};

/** The wall times between two that follow each other, without both; none unless the clock jumped forward by less than a day. */
const jumpOver = (before: string, now: string): readonly string[] => {
  const [from, to] = [before, now].map(text => {
    const [, day = '1', month = '1', year = '0', hours = '0', minutes = '0'] = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+)$/.exec(text) ?? [];
    return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hours), Number(minutes));
  }) as [number, number];
  const times: string[] = [];
  for (let time = from + step; time < to; time += step) times.push(new Date(time).toISOString().slice(0, 16).replace('T', ' '));
  return times;
};

test('next and previous undo each other at any instant', () => {
  for (const [expression, zone] of [
    ['*/7 9-17 * * 1-5', 'America/Denver'],
    ['5 4 1 * *', 'Asia/Tokyo'],
    ['0 */3 * * *', 'Europe/London'],
  ] as const) {
    const schedule = cronSchedule(expression, zone);
    for (let index = 0; index < 400; index += 1) {
      const instant = at('2026-01-01T00:00:00Z') + ((index * 78_901_237) % (365 * 86_400)) * 1000;
      const next = schedule.next(instant)!;
      const previous = schedule.previous(instant)!;
      expect(next).toBeGreaterThan(instant);
      expect(previous).toBeLessThan(instant);
      expect(schedule.next(previous)).toBeGreaterThanOrEqual(instant);
      expect(schedule.next(next - 1)).toBe(next);
      expect(schedule.previous(next)).toBeLessThanOrEqual(instant);
    }
  }
});

test.each([
  ['0 8 * *', 'UTC', 'cron', /five fields/],
  ['0 0 8 * * *', 'UTC', 'cron', /five fields/],
  ['61 8 * * *', 'UTC', 'cron', /no cron expression/],
  ['0 0 30 2 *', 'UTC', 'cron', /no day that ever comes/],
  ['', 'UTC', 'cron', /five fields/],
  ['0 8 * * *', 'Mars/Olympus', 'timezone', /unknown time zone 'Mars\/Olympus'/],
])("'%s' in %s is refused with its field", (expression, zone, field, message) => {
  const read = () => cronSchedule(expression, zone);
  expect(read).toThrow(ScheduleError);
  expect(read).toThrow(message);
  expect(read).toThrow(expect.objectContaining({ field }));
});
