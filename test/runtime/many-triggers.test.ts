import { expect, test, vi } from 'vitest';
import { openRuntimeVault, settle, workflow } from './runtime-vault.ts';

vi.setConfig({ testTimeout: 120_000 });

test('a round looks at what is due and at what is new, however many triggers wait and however long the log is', async () => {
  const { vault, clock, write, record, tasks } = await openRuntimeVault();
  const perWorkflow = 250;
  for (let first = 0; first < 10_000; first += perWorkflow) {
    const entries = Array.from({ length: perWorkflow }, (_, index) => {
      const minute = (first + index) % 60;
      return `type: cron\nid: t${first + index}\ncron: "${minute} ${(first + index) % 24} ${1 + ((first + index) % 28)} 12 *"`;
    });
    await write(`workflows/w${first}.md`, workflow(`w${first}`, entries));
  }
  await write('soon.md', workflow('soon', ['type: interval\nid: i\ninterval: 1h', 'type: event\nid: e\nevent_subject: "wishes/*"']));
  const rounds = vault.work.rounds();
  const first = await rounds.round();
  expect(first.looked).toEqual({ schedules: 0, events: 0, definitions: 10_002 });
  const looked = async () => (await settle(rounds)).looked;
  expect(await looked()).toEqual({ schedules: 0, events: 0, definitions: 0 });
  for (let index = 0; index < 300; index += 1) await record('elsewhere', { index });
  clock.move(60);
  expect(await looked()).toEqual({ schedules: 0, events: 300, definitions: 0 });
  expect(await looked()).toEqual({ schedules: 0, events: 0, definitions: 0 });
  clock.set('2026-05-16T01:00:00Z');
  expect(await looked()).toEqual({ schedules: 1, events: 2, definitions: 0 });
  expect(await looked()).toEqual({ schedules: 0, events: 0, definitions: 0 });
  expect(await tasks()).toHaveLength(1);
  // A daemon that begins anew reads the definitions, and no event a second time.
  expect((await vault.work.rounds().round()).looked).toEqual({ schedules: 0, events: 0, definitions: 10_002 });
});
