import { expect, test } from 'vitest';
import { human, openRuntimeVault, settle, workflow } from './runtime-vault.ts';

const rows = async (vault: Awaited<ReturnType<typeof openRuntimeVault>>['vault'], kind: string) =>
  (await vault.status()).rows.filter(row => row.kind === kind).map(({ path, reason }) => ({ path, reason }));

const hourly = (policy: string) =>
  workflow('hourly', [`type: cron\nid: h\ncron: "0 * * * *"\nmisfire_policy: ${policy}\nconcurrency: allow_parallel`]);

test('a broken trigger is told with its place and its reason, and stops no other', async () => {
  const { vault, write } = await openRuntimeVault();
  await write(
    'bad.md',
    workflow('bad', [
      'type: cron\nid: never\ncron: "0 0 30 2 *"',
      'type: cron\nid: where\ncron: "0 * * * *"\ntimezone: Mars/Olympus',
      'type: condition\nid: odd\nx_when: "count(\'task\')"',
      'type: cron\nid: good\ncron: "0 * * * *"',
    ]),
  );
  await write('twin.md', workflow('bad', []).replace('workflow_id: bad', 'workflow_id: other'));
  const { next } = await vault.work.status();
  expect(next.map(({ trigger_id: id }) => id)).toEqual(['good']);
  const told = await rows(vault, 'trigger_error');
  expect(told.map(({ reason }) => reason.replace(/:.*/s, ''))).toEqual([
    "trigger 'never', triggers[0].cron",
    "trigger 'where', triggers[1].timezone",
    "trigger 'odd', x_when",
  ]);
  expect(told.every(({ path }) => path === 'bad.md')).toBe(true);
});

test('what was missed is told: before anybody looked, when it was made up for, and when it gets no work', async () => {
  const { vault, clock, write } = await openRuntimeVault();
  await write('w.md', hourly('run_once'));
  clock.set('2026-05-16T03:30:00Z');
  expect(await rows(vault, 'missed')).toMatchObject([{ path: 'w.md', reason: expect.stringMatching(/3 missed; no daemon/) as string }]);
  await settle(vault.work.rounds());
  expect(await rows(vault, 'missed')).toMatchObject([
    { reason: expect.stringMatching(/3 missed; the one of 2026-05-16T03:00:00Z was made up for/) as string },
  ]);
  clock.set('2026-05-16T04:00:00Z');
  await settle(vault.work.rounds());
  expect(await rows(vault, 'missed')).toEqual([]);
  const skipping = await openRuntimeVault();
  await skipping.write('w.md', hourly('skip'));
  skipping.clock.set('2026-05-16T02:30:00Z');
  await settle(skipping.vault.work.rounds());
  expect(await rows(skipping.vault, 'missed')).toMatchObject([
    { reason: expect.stringMatching(/2 missed; misfire_policy is skip/) as string },
  ]);
});

test('assistants that own a subject equally well are told, and one whose claim is longer owns it', async () => {
  const { vault, write } = await openRuntimeVault();
  const assistant = (name: string, owns: string) =>
    `---\ntype: assistant\nname: ${name}\ntitle: T\ndescription: d\ntimestamp: 2026-05-16T00:00:00Z\nowns: [${owns}]\n---\n`;
  await write('assistants/a/ASSISTANT.md', assistant('a', '"orders/**", "mail/in/*"'));
  await write('assistants/b/ASSISTANT.md', assistant('b', '"orders/**", "mail/*"'));
  expect(await rows(vault, 'owner_conflict')).toMatchObject([
    {
      reason: expect.stringContaining(
        "own 'orders/**' equally well, so none does: assistants/a/ASSISTANT.md (orders/**), assistants/b",
      ) as string,
    },
  ]);
});

test('a firing that nobody can have meant, and one whose trigger is gone, are told', async () => {
  const { vault, write, record } = await openRuntimeVault();
  await write('w.md', workflow('orders', ['type: event\nid: placed\nevent_subject: "orders/*"']));
  let context: object = {};
  for (let link = 0; link < 20; link += 1) context = { causationId: (await record('elsewhere', { link }, human, context)).event_id };
  await record('orders/1', {}, human, context);
  await settle(vault.work.rounds());
  expect(await rows(vault, 'trigger_error')).toMatchObject([{ path: 'w.md', reason: expect.stringContaining('longer than 16') as string }]);
});
