import { expect, test } from 'vitest';
import { raceTasks, startTask } from './child-task.ts';

// Tasks as a module of their own, in the only form that needs no file.
const module = `data:text/javascript,${encodeURIComponent(`
  export const echo = async (argument, control) => { await control.ready(); return { argument, pid: process.pid }; };
  export const wait = async (_argument, control) => { await control.ready(); await new Promise(() => setInterval(() => {}, 1000)); };
  export const fail = async () => { throw new Error('broken on purpose'); };
  export const vanish = async () => process.exit(7);
`)}`;

test('each task of a race runs in a process of its own and hands back its result in order', async () => {
  const requests = Array.from({ length: 3 }, (_, index) => ({ module, task: 'echo', argument: { index, bytes: new Uint8Array([index]) } }));
  const results = await raceTasks<{ argument: unknown; pid: number }>(requests);
  expect(results.map(({ argument }) => argument)).toEqual(requests.map(({ argument }) => argument));
  expect(new Set(results.map(({ pid }) => pid)).size).toBe(3);
  expect(results.some(({ pid }) => pid === process.pid)).toBe(false);
});

test('no task passes its starting line before it is let go', async () => {
  const task = startTask({ module, task: 'echo', argument: null });
  await task.ready;
  let returned = false;
  const result = task.result.then(() => {
    returned = true;
  });
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(returned).toBe(false);
  task.go();
  await result;
  await task.exited;
});

test('a task that throws, exits, is killed or does not exist fails with its name', async () => {
  await expect(raceTasks([{ module, task: 'fail', argument: null }])).rejects.toThrow(
    /'fail' failed in its process: Error: broken on purpose/,
  );
  await expect(raceTasks([{ module, task: 'vanish', argument: null }])).rejects.toThrow(/'vanish' ended without a result \(exit code 7/);
  await expect(raceTasks([{ module, task: 'none', argument: null }])).rejects.toThrow(/exports no function 'none'/);
  const waiting = startTask({ module, task: 'wait', argument: null });
  await waiting.ready;
  waiting.signal('SIGKILL');
  await expect(waiting.result).rejects.toThrow(/'wait' ended without a result \(exit code null, signal SIGKILL\)/);
  await waiting.exited;
});
