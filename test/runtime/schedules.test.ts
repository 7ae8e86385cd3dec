import { expect, test } from 'vitest';
import { openRuntimeVault, settle, workflow } from './runtime-vault.ts';

const hourly = (more = '') => workflow('hourly', [`type: cron\nid: each-hour\ncron: "0 * * * *"${more}`]);
const path = 'workflows/hourly/WORKFLOW.md';

test('an hour that comes makes one task and one event, with two daemons whose clocks differ and an edit of the workflow between', async () => {
  const { vault, clock, write, submit, tasks, events, data } = await openRuntimeVault();
  await write(path, hourly());
  const [one, other] = [vault.work.rounds(), vault.work.rounds()];
  expect((await one.round()).fired).toEqual([]);
  clock.set('2026-05-16T01:00:02Z');
  await one.round();
  await submit({ type: 'patch', path, patches: { title: 'Another title' } });
  clock.set('2026-05-16T01:00:31Z');
  const again = await other.round();
  expect(again.fired).toEqual([]);
  await vault.work.rounds().round();
  expect(await tasks()).toEqual(['tasks/hourly/each-hour-20260516T010000Z.md']);
  expect(await events('workflow_triggered')).toHaveLength(1);
  expect(await data('tasks/hourly/each-hour-20260516T010000Z.md')).toMatchObject({
    status: 'pending',
    title: 'hourly 2026-05-16T01:00:00Z',
  });
});

test('daemons that fire the same instant at the same time make one task, whatever version of the workflow each has read', async () => {
  const { vault, clock, write, tasks, events } = await openRuntimeVault();
  await write(path, hourly());
  const daemons = Array.from({ length: 5 }, () => vault.work.rounds());
  for (let hour = 1; hour <= 6; hour += 1) {
    clock.set(`2026-05-16T0${hour}:00:01Z`);
    await Promise.all(daemons.map(daemon => daemon.round()));
  }
  expect(await tasks()).toHaveLength(6);
  expect(await events('workflow_triggered')).toHaveLength(6);
});

test.each([
  ['skip', []],
  ['run_once', ['03']],
  ['catch_up', ['01', '02', '03']],
])('after three hours without a daemon, %s makes tasks for %j', async (policy, hours) => {
  const { vault, clock, write, tasks } = await openRuntimeVault();
  await write(path, hourly(`\nmisfire_policy: ${policy}\nconcurrency: allow_parallel`));
  clock.set('2026-05-16T03:30:00Z');
  await settle(vault.work.rounds());
  expect(await tasks()).toEqual(hours.map(hour => `tasks/hourly/each-hour-20260516T${hour}0000Z.md`));
});

test('a long absence is caught up in steps, oldest first, and new instants wait behind', async () => {
  const { vault, clock, write, tasks } = await openRuntimeVault();
  await write(path, hourly('\nmisfire_policy: catch_up'));
  clock.set('2026-05-18T05:00:00Z');
  const rounds = vault.work.rounds();
  const first = await rounds.round();
  expect(first.fired).toHaveLength(20);
  expect(first.more).toBe(true);
  expect((await tasks()).at(-1)).toContain('20260516T200000Z');
  await settle(rounds);
  expect(await tasks()).toHaveLength(53);
});

test('an evening job that was missed yesterday is caught up with its own instant, and today it waits for the evening', async () => {
  const { vault, clock, write, tasks } = await openRuntimeVault('2026-05-12T09:00:00Z');
  await write('w.md', workflow('evening', ['type: cron\nid: e\ncron: "45 17 * * 1-5"']));
  const rounds = vault.work.rounds();
  clock.set('2026-05-13T09:10:00Z');
  await rounds.round();
  expect(await tasks()).toEqual(['tasks/evening/e-20260512T174500Z.md']);
  clock.set('2026-05-13T17:44:59Z');
  await rounds.round();
  expect(await tasks()).toHaveLength(1);
  clock.set('2026-05-13T17:45:00Z');
  await rounds.round();
  expect((await tasks())[1]).toBe('tasks/evening/e-20260513T174500Z.md');
});

test('nothing is due from before the trigger was made, changed or switched on; an edit that leaves it as it was loses nothing', async () => {
  const { vault, clock, write, submit, tasks } = await openRuntimeVault();
  const catching = '\nmisfire_policy: catch_up';
  await write(path, hourly(catching));
  clock.set('2026-05-16T02:30:00Z');
  await write(path, hourly(catching).replace('1. Work.', '1. Work well.'));
  clock.set('2026-05-16T02:40:00Z');
  await settle(vault.work.rounds());
  expect(await tasks()).toHaveLength(2);
  clock.set('2026-05-16T05:30:00Z');
  await submit({ type: 'patch', path, patches: { isActive: false } });
  await settle(vault.work.rounds());
  clock.set('2026-05-16T08:30:00Z');
  await submit({ type: 'patch', path, patches: { isActive: true } });
  await settle(vault.work.rounds());
  expect(await tasks()).toHaveLength(2);
  clock.set('2026-05-16T09:00:00Z');
  await settle(vault.work.rounds());
  expect((await tasks()).at(-1)).toContain('20260516T090000Z');
  clock.set('2026-05-16T11:30:00Z');
  await write(path, hourly(catching).replace('0 * * * *', '15 * * * *'));
  await settle(vault.work.rounds());
  expect(await tasks()).toHaveLength(3);
});

test('a workflow that nobody recorded in the log fires nothing, and a broken one stops no other', async () => {
  const { vault, clock, write, tasks } = await openRuntimeVault();
  await write(
    'bad.md',
    workflow('bad', ['type: cron\nid: never\ncron: "0 0 30 2 *"', 'type: cron\nid: where\ncron: "0 * * * *"\ntimezone: Mars/Olympus']),
  );
  await write(path, hourly());
  clock.set('2026-05-16T01:00:00Z');
  await vault.work.rounds().round();
  expect(await tasks()).toHaveLength(1);
});

test('a wait of more than 24 days ends on the day, and no other trigger is held up by it', async () => {
  const { vault, clock, write, tasks } = await openRuntimeVault('2026-05-02T00:00:00Z');
  await write(
    'm.md',
    workflow('monthly', [
      'type: cron\nid: first\ncron: "20 6 1 * *"',
      'type: interval\nid: weekly\ninterval: 7d\nx_anchor: 2026-05-04T00:00:00Z',
    ]),
  );
  const rounds = vault.work.rounds();
  for (let day = 2; day <= 32; day += 1) {
    clock.set(Date.UTC(2026, 4, day, 6, 20));
    await rounds.round();
    const monthly = (await tasks()).filter(task => task.includes('first'));
    expect(monthly).toHaveLength(day === 32 ? 1 : 0);
  }
  expect(await tasks()).toHaveLength(6);
});

test('a daemon that died between event and task is completed by the next one', async () => {
  let failing = true;
  const { vault, clock, write, tasks, events } = await openRuntimeVault('2026-05-16T00:00:00Z', adapters => ({
    ...adapters,
    vfs: {
      ...adapters.vfs,
      read: path => adapters.vfs.read(path),
      list: prefix => adapters.vfs.list(prefix),
      remove: (path, options) => adapters.vfs.remove(path, options),
      writeAtomic(path, bytes, options) {
        if (failing && path.startsWith('tasks/')) throw new Error('the disk is gone');
        return adapters.vfs.writeAtomic(path, bytes, options);
      },
    },
  }));
  await write(path, hourly());
  clock.set('2026-05-16T01:00:00Z');
  const round = await vault.work.rounds().round();
  expect(round.fired).toMatchObject([{ outcome: 'failed', reason: expect.stringContaining('could not be written') as string }]);
  expect(await events('workflow_triggered')).toHaveLength(1);
  failing = false;
  clock.set('2026-05-16T01:00:20Z');
  await vault.work.rounds().round();
  expect(await tasks()).toEqual(['tasks/hourly/each-hour-20260516T010000Z.md']);
  expect(await events('workflow_triggered')).toHaveLength(1);
});

test('a document that somebody put where a task belongs stays, and the work is done beside it and told', async () => {
  const { vault, clock, write, tasks, data } = await openRuntimeVault();
  await write(path, hourly());
  const squatted = 'tasks/hourly/each-hour-20260516T010000Z.md';
  await write(
    squatted,
    '---\ntype: task\ntitle: Mine\ndescription: d\ntimestamp: 2026-05-16T00:00:00Z\npriority: 1\ncategory: c\nstatus: done\n---\n',
  );
  clock.set('2026-05-16T01:00:00Z');
  const round = await vault.work.rounds().round();
  expect(round.fired).toMatchObject([{ outcome: 'created', reason: expect.stringContaining('another document') as string }]);
  await vault.work.rounds().round();
  expect(await tasks()).toHaveLength(2);
  expect(await data(squatted)).toMatchObject({ title: 'Mine' });
});
