import { type CutCounts, type CutPlan, noCounts, runPlan } from './cut-run.ts';

/** Cuts in a row multiply: some workloads get many of them, so that all can get a few. */
const againShare = (seed: number): number => (seed % 5 === 0 ? 0.03 : 0.004);

/** A few requests, cut before every call. */
export const shortPlan = (seed: number): CutPlan => ({
  name: 'short',
  seed,
  size: { processes: 1 + (seed % 2), clients: 1 + ((seed >> 1) % 2), requests: 2 + ((seed >> 2) % 3) },
  cutShare: 1,
  againShare: againShare(seed),
  death: false,
});

/** Many requests of several processes, cut before some calls; every other time one of the processes dies on the way. */
export const longPlan = (seed: number): CutPlan => {
  const size = { processes: 1 + (seed % 3), clients: 1 + ((seed >> 2) % 4), requests: 8 + ((seed >> 4) % 8) };
  const requests = size.processes * size.clients * size.requests;
  return {
    name: 'long',
    seed,
    size,
    cutShare: Math.min(1, 8 / requests),
    againShare: 0.0005,
    death: size.processes > 1 && seed % 2 === 0,
  };
};

/** So many clients that their events reach the log in one long write, whose sync others do not wait for. */
export const crowdPlan = (seed: number): CutPlan => ({
  name: 'crowded',
  seed,
  size: { processes: 2, clients: 18 + (seed % 5), requests: 2, eventsOnly: seed % 3 === 0 },
  cutShare: 0.06,
  againShare: 0.001,
  death: seed % 2 === 0,
});

/** Two or three processes of which one dies; the power fails at some calls before or after that. */
export const deathPlan = (seed: number): CutPlan => ({
  name: 'death',
  seed,
  size: { processes: 2 + (seed % 2), clients: 1 + ((seed >> 1) % 2), requests: 3 },
  cutShare: 0.3,
  againShare: againShare(seed),
  death: true,
});

/** Runs plans of successive seeds until as many cuts are made. */
export const runUntil = async (cuts: number, firstSeed: number, planOf: (seed: number) => CutPlan): Promise<CutCounts> => {
  const counts = noCounts();
  for (let seed = firstSeed; counts.cuts < cuts; seed += 1) await runPlan(planOf(seed), counts);
  return counts;
};

/** The seed that `SHEAF_SEED` asks for, to repeat a failure: the first workload of a test is then that one. */
export const firstSeed = (usual: number): number => Number(process.env.SHEAF_SEED ?? usual);
