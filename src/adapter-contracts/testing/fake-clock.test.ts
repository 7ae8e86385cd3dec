import { expect, test } from 'vitest';
import { fakeClock } from './fake-clock.ts';

test('the clock stands still until it is moved', () => {
  const clock = fakeClock('2026-01-01T00:00:00.000Z');
  expect(clock.now().toISOString()).toBe('2026-01-01T00:00:00.000Z');
  expect(clock.now()).toEqual(clock.now());
  clock.advance(1500);
  expect(clock.now().toISOString()).toBe('2026-01-01T00:00:01.500Z');
  clock.set('2025-12-31T23:00:00Z');
  expect(clock.now().toISOString()).toBe('2025-12-31T23:00:00.000Z');
});

test('changing an instant it gave does not move the clock', () => {
  const clock = fakeClock();
  const before = clock.now().getTime();
  clock.now().setTime(0);
  expect(clock.now().getTime()).toBe(before);
});
