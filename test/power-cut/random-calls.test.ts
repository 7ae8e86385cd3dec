import { expect, test } from 'vitest';
import { crowdPlan, deathPlan, firstSeed, longPlan, runUntil } from './cut-plans.ts';

const longCuts = 3_000;
const longSeed = firstSeed(100_000);

test(`power cuts at random calls of long workloads lose, halve and invent nothing (${longCuts} cuts from seed ${longSeed})`, async () => {
  const counts = await runUntil(longCuts, longSeed, longPlan);
  expect(counts.acknowledged).toBeGreaterThan(longCuts / 40);
  expect(counts.rolledBack).toBeGreaterThan(longCuts / 40);
  expect(counts.replayed).toBeGreaterThan(longCuts);
}, 900_000);

const deathCuts = 4_200;
const deathSeed = firstSeed(200_000);

test(`a process dies, the others go on, and the power fails: nothing is lost (${deathCuts} cuts from seed ${deathSeed})`, async () => {
  const counts = await runUntil(deathCuts, deathSeed, deathPlan);
  expect(counts.deaths).toBeGreaterThan(deathCuts / 200);
  expect(counts.replayed).toBeGreaterThan(deathCuts);
}, 900_000);

const crowdCuts = 200;
const crowdSeed = firstSeed(300_000);

test(`the power fails while many write at once: nothing is lost (${crowdCuts} cuts from seed ${crowdSeed})`, async () => {
  const counts = await runUntil(crowdCuts, crowdSeed, crowdPlan);
  expect(counts.deaths).toBeGreaterThan(crowdCuts / 400);
  expect(counts.replayed).toBeGreaterThan(crowdCuts);
}, 900_000);
