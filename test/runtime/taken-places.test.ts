import { expect, test } from 'vitest';
import { agent, openRuntimeVault, settle, workflow } from './runtime-vault.ts';

const foreign =
  '---\ntype: task\ntitle: T\ndescription: d\ntimestamp: 2026-05-16T00:00:00Z\npriority: 50\ncategory: c\nstatus: done\n---\n';

test('documents in the places of tasks keep no work from being made', async () => {
  const { vault, clock, write, submit, tasks } = await openRuntimeVault();
  await write('w.md', workflow('work', ['type: interval\nid: each\ninterval: 1h\nconcurrency: allow_parallel']));
  const salts = ['', '-s1', '-s2', '-s3', '-s4'];
  for (const salt of salts) await write(`tasks/work/each-20260516T010000Z${salt}.md`, foreign, agent);
  clock.move(3600);
  await vault.work.runDue({ workers: 0 });
  const made = (await tasks()).filter(path => !salts.some(salt => path.endsWith(`Z${salt}.md`)));
  expect(made).toHaveLength(1);
  // What stood in the way may go: the work is there all the same.
  for (const salt of salts) await submit({ type: 'delete', path: `tasks/work/each-20260516T010000Z${salt}.md` });
  await vault.index.rebuild('runtime');
  await settle(vault.work.rounds());
  expect(await tasks()).toEqual(made);
});

test('a task that cannot be made is told, ends what was to be done once, and keeps no other event from firing', async () => {
  let full = true;
  const { vault, clock, write, record, tasks } = await openRuntimeVault('2026-05-16T00:00:00Z', adapters => ({
    ...adapters,
    vfs: {
      ...adapters.vfs,
      async writeAtomic(path, ...more) {
        if (full && path.startsWith('tasks/bad/')) throw new Error('no room');
        return adapters.vfs.writeAtomic(path, ...more);
      },
    },
  }));
  for (const id of ['bad', 'good'])
    await write(`${id}.md`, workflow(id, ['type: event\nid: any\nevent_subject: "orders/*"\nconcurrency: allow_parallel']));
  await record('orders/1', {});
  await record('orders/2', {});
  let rounds = 0;
  const stop = new AbortController();
  await vault.work.runDue({
    workers: 0,
    signal: stop.signal,
    onRound: () => {
      rounds += 1;
      if (rounds > 50) stop.abort();
    },
  });
  expect(rounds).toBeLessThan(10);
  expect((await tasks()).map(path => path.split('/')[1])).toEqual(['good', 'good']);
  clock.move(60);
  const { rows } = await vault.work.status();
  expect(rows).toMatchObject([
    { kind: 'trigger_error', path: 'bad.md' },
    { kind: 'trigger_error', path: 'bad.md' },
  ]);
  full = false;
  await settle(vault.work.rounds());
  expect(await tasks()).toHaveLength(4);
  expect((await vault.work.status()).rows).toEqual([]);
});
