import { expect, test } from 'vitest';
import { createTurnstile } from './turnstile.ts';

test('everybody passes once, in the order of coming', async () => {
  const turnstile = createTurnstile();
  const passed: number[] = [];
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      await turnstile.visitor().enter();
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
      await turnstile.visitor().enter();
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
    const visitor = turnstile.visitor();
    await visitor.enter();
    passed.push('first');
    await visitor.enter();
    passed.push('first again');
  };
  const second = async (): Promise<void> => {
    await turnstile.visitor().enter();
    passed.push('second');
  };
  await Promise.all([first(), second()]);
  expect(passed).toEqual(['first', 'second', 'first again']);
});

test('a turn holds so many things, and is lost by waiting for anything but microtasks', async () => {
  const visitor = createTurnstile().visitor();
  expect(visitor.mayGoOn()).toBe(false);
  await visitor.enter();
  let done = 1;
  for (; visitor.mayGoOn(); done += 1) await Promise.resolve();
  expect(done).toBe(128);
  await visitor.enter();
  expect(visitor.mayGoOn()).toBe(true);
  await new Promise(resolve => setTimeout(resolve, 1));
  expect(visitor.mayGoOn()).toBe(false);
});
