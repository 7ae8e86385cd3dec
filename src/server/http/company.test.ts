import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createCompany } from './company.ts';

test('requests of neighbouring turns enter together', async () => {
  const company = createCompany();
  const entered: string[] = [];
  const enter = async (name: string): Promise<void> => {
    await company();
    entered.push(name);
  };
  const first = enter('first');
  await turn();
  const second = enter('second');
  await turn();
  expect(entered).toEqual([]);
  const third = enter('third');
  await Promise.all([first, second, third]);
  expect(entered).toEqual(['first', 'second', 'third']);
});

test('a request that is alone enters after two turns', async () => {
  const company = createCompany();
  let entered = false;
  const alone = company().then(() => (entered = true));
  for (let turns = 0; turns < 3; turns += 1) await turn();
  expect(entered).toBe(true);
  await alone;
});

test('arrivals without end keep nobody waiting without end', async () => {
  const company = createCompany();
  let entered = 0;
  let asked = 0;
  while (entered === 0 && asked < 1000) {
    asked += 1;
    void company().then(() => (entered += 1));
    await turn();
  }
  expect(asked).toBeLessThan(300);
});
