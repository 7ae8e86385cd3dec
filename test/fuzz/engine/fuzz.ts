import { type Random, seededRandom } from '#adapter-contracts/testing';
import { chance, pick } from './choose.ts';
import { type BlockCoverage, watchBlocks } from './coverage.ts';
import { minimise } from './minimise.ts';
import { mutate } from './mutate.ts';
import type { FuzzTarget } from './target.ts';

export interface FuzzBudget {
  readonly seed: number;
  readonly executions: number;
  /** Ends the run earlier, or never. */
  readonly seconds: number;
  /** Whether the run keeps and mutates the inputs that reach new code of the target's sources. */
  readonly guided: boolean;
}

export interface FuzzReport {
  readonly executions: number;
  /** Inputs to mutate, at the end. */
  readonly pool: number;
  /** Share of the watched sources that ran, or null when none were watched. */
  readonly coverage: number | null;
  /** Inputs that reached new code. */
  readonly reached: readonly Buffer[];
  /** The first input that breaks a law, made as small as possible. */
  readonly broken: { readonly input: Buffer; readonly reason: string } | null;
}

/** Why an input breaks a law of the target, or null. */
export const breach = async (target: FuzzTarget, input: Buffer): Promise<string | null> => {
  try {
    await target.check(input);
    return null;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
};

const nextInput = (target: FuzzTarget, random: Random, pool: readonly Buffer[]): Buffer => {
  if (pool.length === 0 || chance(random, 0.4)) return Buffer.from(target.generate(random));
  return mutate(pick(random, pool), random, target.tokens, pick(random, pool));
};

/** Runs fresh and mutated inputs through the target until its budget is spent or a law breaks. */
export const fuzz = async (target: FuzzTarget, seeds: readonly Buffer[], budget: FuzzBudget): Promise<FuzzReport> => {
  const random = seededRandom(budget.seed);
  const pool = [...seeds];
  const reached: Buffer[] = [];
  const coverage = budget.guided && target.guidedBy !== undefined ? await watchBlocks(target.guidedBy) : null;
  const end = performance.now() + budget.seconds * 1000;
  let executions = 0;
  const report = (broken: FuzzReport['broken']): FuzzReport => {
    const totals = coverage?.totals();
    return { executions, pool: pool.length, coverage: totals === undefined ? null : totals.reached / totals.all, reached, broken };
  };
  try {
    if (coverage !== null) await reachingMore(target, coverage, seeds);
    while (executions < budget.executions && performance.now() < end) {
      const batch = Array.from({ length: Math.min(64, budget.executions - executions) }, () => nextInput(target, random, pool));
      const broken = await firstBreach(target, batch);
      executions += batch.length;
      if (broken !== null) return report(broken);
      if (coverage === null || (await coverage.peek()) === 0) continue;
      const fresh = await reachingMore(target, coverage, batch);
      pool.push(...fresh);
      reached.push(...fresh);
    }
    return report(null);
  } finally {
    await coverage?.close();
  }
};

const firstBreach = async (target: FuzzTarget, batch: readonly Buffer[]): Promise<FuzzReport['broken']> => {
  for (const input of batch) {
    const reason = await breach(target, input);
    if (reason === null) continue;
    const smallest = await minimise(input, async candidate => lawOf(await breach(target, candidate)) === lawOf(reason));
    return { input: smallest, reason: (await breach(target, smallest)) ?? reason };
  }
  return null;
};

/** The law in a reason, without the details: a smaller input must break the same one. */
const lawOf = (reason: string | null): string | undefined => reason?.split(':').slice(0, 2).join(':');

/** The inputs that run code which none before them ran. Asking what ran is dear: only a half that runs something new is looked at closer. */
const reachingMore = async (target: FuzzTarget, coverage: BlockCoverage, inputs: readonly Buffer[]): Promise<readonly Buffer[]> => {
  if (inputs.length === 0) return [];
  for (const input of inputs) await breach(target, input);
  if (inputs.length === 1) return (await coverage.take()) > 0 ? inputs : [];
  if ((await coverage.peek()) === 0) return [];
  const middle = Math.ceil(inputs.length / 2);
  const first = await reachingMore(target, coverage, inputs.slice(0, middle));
  return [...first, ...(await reachingMore(target, coverage, inputs.slice(middle)))];
};
