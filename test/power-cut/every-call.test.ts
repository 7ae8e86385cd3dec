import { expect, test } from 'vitest';
import { firstSeed, runUntil, shortPlan } from './cut-plans.ts';

const cuts = 11_000;
const seed = firstSeed(1);

test(`a power cut at any call of a short workload loses, halves and invents nothing (${cuts} cuts from seed ${seed})`, async () => {
  const counts = await runUntil(cuts, seed, shortPlan);
  // What was cut was at work: changes were acknowledged, half-done ones taken back, committed ones repeated.
  expect(counts.acknowledged).toBeGreaterThan(cuts / 40);
  expect(counts.rolledBack).toBeGreaterThan(cuts / 40);
  expect(counts.replayed).toBeGreaterThan(cuts);
}, 900_000);
