import { expect, test } from 'vitest';
import { createRateLimits } from './rate-limits.ts';

const open = (perSecond: number, burst: number) => {
  let now = 0;
  const limits = createRateLimits({ perSecond, burst }, () => now);
  return { limits, pass: (seconds: number) => (now += seconds * 1000) };
};

test('a burst is let through, then so many a second, and the answer says when to come again', () => {
  const { limits, pass } = open(2, 3);
  expect([1, 2, 3].map(() => limits.take('a'))).toEqual([0, 0, 0]);
  expect(limits.take('a')).toBe(1);
  pass(0.5);
  expect(limits.take('a')).toBe(0);
  expect(limits.take('a')).toBe(1);
  pass(3600);
  expect([1, 2, 3, 4].map(() => limits.take('a'))).toEqual([0, 0, 0, 1]);
});

test('a slow limit names the whole wait, and being refused does not lengthen it', () => {
  const { limits, pass } = open(0.1, 1);
  limits.take('a');
  expect(limits.take('a')).toBe(10);
  pass(9);
  expect(limits.take('a')).toBe(1);
  pass(1);
  expect(limits.take('a')).toBe(0);
});

test('no window lets twice the limit through around its edge', () => {
  const { limits, pass } = open(10, 10);
  let taken = 0;
  for (let tick = 0; tick < 200; tick += 1) {
    if (limits.take('a') === 0) taken += 1;
    pass(0.01);
  }
  expect(taken).toBeLessThanOrEqual(30);
});

test('each key has its own', () => {
  const { limits } = open(1, 1);
  expect(limits.take('a')).toBe(0);
  expect(limits.take('b')).toBe(0);
  expect(limits.take('a')).toBe(1);
});

test('very many keys do not gather: those that are full again are forgotten, the others keep what they spent', () => {
  const { limits, pass } = open(1, 2);
  for (let key = 0; key < 10_000; key += 1) limits.take(`k-${key}`);
  pass(10);
  expect([1, 2, 3].map(() => limits.take('busy'))).toEqual([0, 0, 1]);
});
