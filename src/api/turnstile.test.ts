import { expect, test } from 'vitest';
import { createTurnstile } from './turnstile.ts';

test('everybody passes once, in the order of coming', async () => {
  const turnstile = createTurnstile();
  const passed: number[] = [];
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      await turnstile.enter();
      passed.push(index);
    }),
  );
  expect(passed).toEqual(Array.from({ length: 100 }, (_, index) => index));
});

test('no two pass in one turn of the event loop, so that other work comes between them', async () => {
  const turnstile = createTurnstile();
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const seen: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      await turnstile.enter();
      seen.push(turns);
    }),
  );
  counting = false;
  expect(new Set(seen).size).toBe(20);
});

test('who comes back has to wait for those who came meanwhile', async () => {
  const turnstile = createTurnstile();
  const passed: string[] = [];
  const first = async (): Promise<void> => {
    await turnstile.enter();
    passed.push('first');
    await turnstile.enter();
    passed.push('first again');
  };
  const second = async (): Promise<void> => {
    await turnstile.enter();
    passed.push('second');
  };
  await Promise.all([first(), second()]);
  expect(passed).toEqual(['first', 'second', 'first again']);
});
