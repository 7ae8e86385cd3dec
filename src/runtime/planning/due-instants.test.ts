import { expect, test } from 'vitest';
import { cronSchedule } from '../schedule/cron.ts';
import { intervalSchedule } from '../schedule/interval.ts';
import { decideConcurrency } from './decide-concurrency.ts';
import { countedUpTo, dueInstants } from './due-instants.ts';
import { isoSeconds } from './firing.ts';

const at = (text: string): number => Date.parse(text);
const hourly = cronSchedule('0 * * * *');
const outage = { since: at('2026-05-16T08:00:00Z'), now: at('2026-05-16T11:30:00Z'), grace: 60_000, cap: 50 };

test.each([
  ['skip', []],
  ['run_once', ['2026-05-16T11:00:00Z']],
  ['catch_up', ['2026-05-16T09:00:00Z', '2026-05-16T10:00:00Z', '2026-05-16T11:00:00Z']],
] as const)('after three missed hours %s gives %j', (policy, expected) => {
  const { due, next } = dueInstants(hourly, { ...outage, policy });
  expect(due.map(isoSeconds)).toEqual(expected);
  expect(next).toBe(at('2026-05-16T12:00:00Z'));
});

test('what is missed and gets no work is counted', () => {
  expect(dueInstants(hourly, { ...outage, policy: 'skip' }).missed).toBe(3);
  expect(dueInstants(hourly, { ...outage, policy: 'run_once' }).missed).toBe(2);
  expect(dueInstants(intervalSchedule('1s'), { ...outage, policy: 'skip' }).missed).toBe(countedUpTo);
});

test('an instant within the grace is on time, whatever the policy', () => {
  for (const policy of ['skip', 'run_once', 'catch_up'] as const) {
    const { due, missed } = dueInstants(hourly, { ...outage, since: at('2026-05-16T10:30:00Z'), now: at('2026-05-16T11:00:59Z'), policy });
    expect([due.map(isoSeconds), missed]).toEqual([['2026-05-16T11:00:00Z'], 0]);
  }
});

test('nothing in the future is ever due', () => {
  const evening = cronSchedule('45 17 * * 1-5', 'Europe/Madrid');
  const { due, next } = dueInstants(evening, {
    since: at('2026-05-12T10:00:00Z'),
    now: at('2026-05-13T07:10:00Z'),
    grace: 60_000,
    policy: 'catch_up',
    cap: 50,
  });
  expect(due.map(isoSeconds)).toEqual(['2026-05-12T15:45:00Z']);
  expect(next).toBe(at('2026-05-13T15:45:00Z'));
});

test('a capped catch-up goes on where it stopped and passes nothing over', () => {
  const every = intervalSchedule('1m');
  const now = at('2026-05-16T11:00:30Z');
  const made: number[] = [];
  let since = at('2026-05-16T10:00:00Z');
  for (let more = true; more; ) {
    const step = dueInstants(every, { since, now, grace: 60_000, policy: 'catch_up', cap: 7 });
    expect(step.due.length).toBeLessThanOrEqual(7);
    made.push(...step.due);
    since = step.due.at(-1) ?? since;
    more = step.more;
  }
  expect(made.map(isoSeconds)).toEqual(Array.from({ length: 60 }, (_, index) => isoSeconds(at('2026-05-16T10:01:00Z') + index * 60_000)));
});

test('a wait longer than a timer can hold is a plain number', () => {
  const { next, due } = dueInstants(cronSchedule('20 6 1 * *'), {
    since: 0,
    now: at('2026-05-02T00:00:00Z'),
    grace: 60_000,
    policy: 'skip',
    cap: 1,
  });
  expect(due).toEqual([]);
  expect(next! - at('2026-05-02T00:00:00Z')).toBeGreaterThan(2 ** 31);
});

test('concurrency policies decide only while earlier work is active', () => {
  const table = (['allow_parallel', 'skip_if_running', 'enqueue', 'replace'] as const).map(policy => [
    decideConcurrency(policy, 0),
    decideConcurrency(policy, 2),
  ]);
  expect(table).toEqual([
    ['create', 'create'],
    ['create', 'skip'],
    ['create', 'wait'],
    ['create', 'replace'],
  ]);
});
