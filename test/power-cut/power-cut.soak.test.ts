// Cuts the power until it is stopped, or for SHEAF_SOAK_MINUTES; says every few seconds how many cuts there were and which seed comes next.
import { expect, test } from 'vitest';
import { crowdPlan, deathPlan, firstSeed, longPlan, shortPlan } from './cut-plans.ts';
import { noCounts, runPlan } from './cut-run.ts';

const minutes = Number(process.env.SHEAF_SOAK_MINUTES ?? Number.POSITIVE_INFINITY);
const seed = firstSeed(Date.now() % 1_000_000_000);
const plans = [shortPlan, longPlan, deathPlan, crowdPlan];
const sayEveryMs = 10_000;
// The longest that a timer takes, some 24 days.
const noLimitMs = 2 ** 31 - 1;

test(
  `the power is cut until somebody stops it (from seed ${seed})`,
  async () => {
    const counts = noCounts();
    const began = Date.now();
    let said = began;
    for (let next = seed; Date.now() - began < minutes * 60_000; next += 1) {
      for (const planOf of plans) await runPlan(planOf(next), counts);
      if (Date.now() - said < sayEveryMs) continue;
      said = Date.now();
      console.log(`${counts.cuts} power cuts, ${counts.deaths} dead processes, nothing lost; next seed ${next + 1}`);
    }
    expect(counts.cuts).toBeGreaterThan(0);
  },
  noLimitMs,
);
