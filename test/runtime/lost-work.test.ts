import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openRuntimeVault, settle, workflow } from './runtime-vault.ts';

const placed = (id: string) => workflow(id, ['type: event\nid: placed\nevent_subject: "orders/**"\nconcurrency: allow_parallel']);

test('a workflow that comes while a daemon is in the middle of a round fires on what comes behind it', async () => {
  const meanwhile: (() => Promise<unknown>)[] = [];
  const { vault, clock, write, record, tasks } = await openRuntimeVault('2026-05-16T00:00:00Z', adapters => ({
    ...adapters,
    events: {
      ...adapters.events,
      async append(event, ...more) {
        const appended = await adapters.events.append(event, ...more);
        for (const act of event.subject === 'clock.md' ? meanwhile.splice(0) : []) await act();
        return appended;
      },
    },
  }));
  await write('one.md', placed('one'));
  await write('clock.md', workflow('clock', ['type: interval\nid: each\ninterval: 1h']));
  const rounds = vault.work.rounds();
  await settle(rounds);
  await record('orders/1', { event_type: 'placed' });
  meanwhile.push(
    () => write('two.md', placed('two')),
    () => record('orders/2', { event_type: 'placed' }),
  );
  clock.move(3600);
  await settle(rounds);
  expect(meanwhile).toEqual([]);
  await record('orders/3', { event_type: 'placed' });
  await settle(rounds);
  const made = (await tasks()).map(path => path.split('/')[1]);
  expect(made.toSorted()).toEqual(['clock', 'one', 'one', 'one', 'two', 'two']);
});

test('a workflow that is in the middle of a write still fires on what came before', async () => {
  const fired: ReturnType<typeof settle>[] = [];
  let look: (() => ReturnType<typeof settle>) | null = null;
  const { vault, write, submit, record, tasks } = await openRuntimeVault('2026-05-16T00:00:00Z', adapters => ({
    ...adapters,
    vfs: {
      ...adapters.vfs,
      async writeAtomic(path, ...more) {
        const stored = await adapters.vfs.writeAtomic(path, ...more);
        if (look !== null && fired.length === 0) fired.push(look());
        // The event comes a moment after the file.
        if (fired.length > 0) await delay(40);
        return stored;
      },
    },
  }));
  for (const id of ['one', 'two']) await write(`${id}.md`, placed(id));
  const rounds = vault.work.rounds();
  await settle(rounds);
  await record('orders/1', { event_type: 'placed' });
  look = () => settle(rounds);
  await submit({ type: 'patch', path: 'one.md', patches: { title: 'New' } });
  await Promise.all(fired);
  await settle(rounds);
  expect(await tasks()).toHaveLength(2);
});
