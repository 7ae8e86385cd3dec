import { expect, test } from 'vitest';
import { keepInput, readCorpus } from './corpus.ts';
import { breach, fuzz } from './fuzz.ts';
import type { FuzzTarget } from './target.ts';

const soak = process.env.SHEAF_SOAK !== undefined;
// The short form is the same run everywhere; the long one differs each time and says which it was.
const seed = Number(process.env.SHEAF_SEED ?? (soak ? Date.now() % 1_000_000 : 1));
const soakSeconds = Number(process.env.SHEAF_FUZZ_SECONDS ?? 120);

/** Registers the two tests of a target: its corpus, and a run of new inputs. */
export const testTarget = (target: FuzzTarget): void => {
  test(`${target.name}: every kept input keeps the laws`, async () => {
    const corpus = readCorpus(target.name);
    expect(corpus.length).toBeGreaterThan(0);
    for (const { file, input } of corpus) expect({ file, breach: await breach(target, input) }).toEqual({ file, breach: null });
  });

  test(`${target.name}: new inputs keep the laws, seed ${seed}`, async () => {
    const seeds = readCorpus(target.name).map(({ input }) => input);
    const budget = soak
      ? { seed, executions: Number.POSITIVE_INFINITY, seconds: soakSeconds, guided: true }
      : { seed, executions: target.executions, seconds: Number.POSITIVE_INFINITY, guided: false };
    const { executions, pool, coverage, reached, broken } = await fuzz(target, seeds, budget);
    if (soak) {
      const share = coverage === null ? '' : `, ${(coverage * 100).toFixed(1)} % of its sources`;
      console.log(`${target.name}: seed ${seed}, ${executions} executions, ${pool} inputs to mutate${share}`);
    }
    // Asked for by who wants a richer corpus; every kept input costs time in every later run.
    if (process.env.SHEAF_FUZZ_KEEP !== undefined) for (const input of reached) keepInput(target.name, 'reached', input);
    if (broken === null) return;
    const place = soak ? ` Kept as ${keepInput(target.name, 'broke', broken.input)}.` : '';
    throw new Error(
      `Seed ${seed}: ${JSON.stringify(broken.input.toString())} (base64 ${broken.input.toString('base64')}): ${broken.reason}.${place}`,
    );
  });
};
