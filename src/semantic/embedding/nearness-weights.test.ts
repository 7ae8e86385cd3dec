import { expect, test } from 'vitest';
import { nearnessWeights } from './nearness-weights.ts';

test('the nearest counts fully, and what half of the list has anyway counts nothing', () => {
  const weights = nearnessWeights([0.9, 0.84, ...Array.from({ length: 18 }, () => 0.8)]);
  expect(weights[0]).toBe(1);
  expect(weights[1]).toBeCloseTo(0.4);
  expect(new Set(weights.slice(2))).toEqual(new Set([0]));
});

test('in a short list each counts by how near it is', () => {
  expect(nearnessWeights([0.8, 0.4, 0.2])).toEqual([1, 0.5, 0.25]);
  expect(nearnessWeights([0.3])).toEqual([1]);
  expect(nearnessWeights([])).toEqual([]);
});

test('where all are equally near, all count the same', () => {
  expect(new Set(nearnessWeights(Array.from({ length: 20 }, () => 0.7)))).toEqual(new Set([1]));
});
