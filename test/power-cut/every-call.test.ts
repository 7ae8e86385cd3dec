import { expect, test } from 'vitest';
import { firstSeed, longPlan, runUntil, shortPlan } from './cut-plans.ts';
import { noCounts, runPlan } from './cut-run.ts';

const cuts = 13_000;
const seed = firstSeed(1);

test(`a power cut at any call of a short workload loses, halves and invents nothing (${cuts} cuts from seed ${seed})`, async () => {
  const counts = await runUntil(cuts, seed, shortPlan);
  // What was cut was at work: changes were acknowledged, half-done ones taken back, committed ones repeated.
  expect(counts.acknowledged).toBeGreaterThan(cuts / 40);
  expect(counts.rolledBack).toBeGreaterThan(cuts / 40);
  expect(counts.replayed).toBeGreaterThan(cuts);
}, 900_000);

test('a seed gives the same run every time, or no failure could be repeated', async () => {
  const run = async () => {
    const counts = noCounts();
    for (const planOf of [shortPlan, longPlan]) for (const each of [7, 8]) await runPlan(planOf(each), counts);
    return counts;
  };
  expect(await run()).toEqual(await run());
});
