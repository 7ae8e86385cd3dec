import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type OrderedTask, runInOrder } from './ordered-runner.ts';

async function* from<T>(tasks: readonly OrderedTask<T>[]): AsyncGenerator<OrderedTask<T>> {
  for (const task of tasks) yield task;
}
const never = new AbortController().signal;

test('results come in input order, shared names run in input order, and never more than the limit run at once', async () => {
  const oneTask = fc.record({ names: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }), ms: fc.integer({ min: 0, max: 3 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(oneTask, { maxLength: 25 }), fc.integer({ min: 1, max: 4 }), async (specs, concurrency) => {
      const started: number[] = [];
      const emitted: number[] = [];
      const runningNames = new Set<string>();
      let running = 0;
      const tasks = specs.map((spec, index) => ({
        sharedNames: spec.names,
        run: async () => {
          running += 1;
          expect(running).toBeLessThanOrEqual(concurrency);
          for (const name of new Set(spec.names)) expect(runningNames.has(name)).toBe(false);
          for (const name of spec.names) runningNames.add(name);
          started.push(index);
          await sleep(spec.ms);
          for (const name of spec.names) runningNames.delete(name);
          running -= 1;
          return index;
        },
      }));
      await runInOrder(from(tasks), { concurrency, signal: never, emit: async index => void emitted.push(index) });
      expect(emitted).toEqual(specs.map((_, index) => index));
      for (const name of ['a', 'b', 'c'] as const) {
        const order = started.filter(index => specs[index]?.names.includes(name));
        expect(order).toEqual([...order].sort((x, y) => x - y));
      }
    }),
    { numRuns: 40 },
  );
});

test('a result is emitted while later tasks still run', async () => {
  const emitted: string[] = [];
  let finish = (): void => undefined;
  const held = new Promise<void>(resolve => (finish = resolve));
  const tasks = [
    { sharedNames: [], run: async () => 'first' },
    { sharedNames: [], run: async () => held.then(() => 'second') },
  ];
  const all = runInOrder(from(tasks), {
    concurrency: 2,
    signal: never,
    emit: async name => {
      emitted.push(name);
      if (name === 'first') finish();
    },
  });
  await all;
  expect(emitted).toEqual(['first', 'second']);
});

test('slow output holds back the reading of endless input', async () => {
  let read = 0;
  async function* endless(): AsyncGenerator<OrderedTask<number>> {
    for (;;) {
      const index = read++;
      yield { sharedNames: [], run: async () => index };
    }
  }
  const stop = new AbortController();
  let emitted = 0;
  await runInOrder(endless(), {
    concurrency: 4,
    signal: stop.signal,
    emit: async () => {
      emitted += 1;
      expect(read - emitted).toBeLessThanOrEqual(18);
      await sleep(1);
      if (emitted === 50) stop.abort();
    },
  });
  expect(emitted).toBe(read);
});

test('an output that fails ends the run with its error', async () => {
  const tasks = Array.from({ length: 100 }, (_, index) => ({ sharedNames: [], run: async () => index }));
  const failing = runInOrder(from(tasks), { concurrency: 2, signal: never, emit: async () => Promise.reject(new Error('closed')) });
  await expect(failing).rejects.toThrow('closed');
});
