import { expect, test } from 'vitest';
import { agent, human, openRuntimeVault, settle, workflow } from './runtime-vault.ts';

const orders = (more = '') =>
  workflow('orders', [
    `type: event\nid: placed\nevent_subject: "orders/**"\nevent_match:\n  principal.kind: human\n  payload.event_type: placed${more}`,
  ]);

test('a matching event makes one task that names its cause, and a replayed or unmatched one makes none', async () => {
  const { vault, write, record, tasks, data, events } = await openRuntimeVault();
  await write('w.md', orders());
  const rounds = vault.work.rounds();
  await rounds.round();
  const { event_id: cause } = await record('orders/a/b', { event_type: 'placed' });
  await record('orders/a/b', { event_type: 'placed' }, agent);
  await record('invoices/a', { event_type: 'placed' });
  await settle(rounds);
  const [task, ...more] = await tasks();
  expect(more).toEqual([]);
  expect(await data(task!)).toMatchObject({ causation_id: cause, trigger_event_id: cause, scheduled_for: '2026-05-16T00:00:00.000Z' });
  for (const type of ['workflow_triggered', 'ssss.mutation']) {
    const made = (await events(type)).filter(event => event.principal.id === 'sheaf:runtime');
    expect(made.map(event => event.causation_id)).toEqual([cause]);
  }
  // Nothing that a daemon remembers is needed to know that.
  await vault.index.rebuild('runtime');
  await settle(vault.work.rounds());
  expect(await tasks()).toHaveLength(1);
});

test('two events at one instant make two tasks', async () => {
  const { vault, write, record, tasks } = await openRuntimeVault();
  await write('w.md', orders());
  await record('orders/1', { event_type: 'placed' });
  await record('orders/2', { event_type: 'placed' });
  await settle(vault.work.rounds());
  expect(await tasks()).toHaveLength(2);
});

test('events that came while no daemon ran fire, those from before the trigger was there do not', async () => {
  const { vault, write, submit, record, tasks } = await openRuntimeVault();
  await record('orders/early', { event_type: 'placed' });
  await write('w.md', orders());
  await record('orders/1', { event_type: 'placed' });
  await submit({ type: 'patch', path: 'w.md', patches: { title: 'Orders' } });
  await record('orders/2', { event_type: 'placed' });
  await settle(vault.work.rounds());
  expect(await tasks()).toHaveLength(2);
  await submit({ type: 'patch', path: 'w.md', patches: { isActive: false } });
  await record('orders/3', { event_type: 'placed' });
  await submit({ type: 'patch', path: 'w.md', patches: { isActive: true } });
  await record('orders/4', { event_type: 'placed' });
  await settle(vault.work.rounds());
  expect(await tasks()).toHaveLength(3);
});

test('a changed file fires: written through the contract, or by hand once it is adopted', async () => {
  const { vault, write, submit, record, tasks } = await openRuntimeVault();
  await write('w.md', workflow('notes', ['type: file_change\nid: changed\nevent_subject: "notes/*"']));
  const rounds = vault.work.rounds();
  await write('notes/a.md', '---\ntype: rule\nname: a\ntitle: A\ndescription: d\ntimestamp: 2026-05-16T00:00:00Z\n---\n');
  await submit({ type: 'patch', path: 'notes/a.md', patches: { title: 'B' } });
  await record('notes/a.md', { event_type: 'looked_at' });
  await settle(rounds);
  expect(await tasks()).toHaveLength(2);
  await submit({ type: 'delete', path: 'notes/a.md' });
  await settle(rounds);
  expect(await tasks()).toHaveLength(3);
});

test('a webhook that was received fires the one trigger that it was sent to', async () => {
  const { vault, write, tasks, data, record } = await openRuntimeVault();
  await write('w.md', workflow('hooked', ['type: webhook\nid: one\nx_secret: s', 'type: webhook\nid: other\nx_secret: s']));
  const principal = { ...human, id: 'sheaf:runtime', kind: 'service' as const };
  await record('w.md', { event_type: 'workflow_webhook_received', workflow_id: 'hooked', trigger_id: 'other' }, principal);
  await settle(vault.work.rounds());
  const [task] = await tasks();
  expect(await data(task!)).toMatchObject({ trigger_id: 'other', trigger_type: 'webhook' });
  expect(await tasks()).toHaveLength(1);
});

test('a trigger never fires on what its own work caused, nor on the record of its own firing', async () => {
  const { vault, write, tasks } = await openRuntimeVault();
  await write(
    'w.md',
    workflow('loop', [
      'type: file_change\nid: any\nevent_subject: "tasks/**"',
      'type: event\nid: own\nevent_subject: "w.md"\nevent_match:\n  payload.event_type: workflow_triggered',
    ]),
  );
  await vault.work.fire({ workflow: 'loop', trigger: null, key: 'k' }, human);
  const rounds = vault.work.rounds();
  for (let round = 0; round < 5; round += 1) await settle(rounds);
  const made = await tasks();
  // The request's task is a change of a file; the records of the request's firing and of that one are two events for the other.
  expect(made.filter(path => path.includes('/any-')).length).toBeLessThanOrEqual(2);
  expect(made.filter(path => path.includes('/own-')).length).toBeLessThanOrEqual(2);
  const before = made.length;
  for (let round = 0; round < 5; round += 1) await settle(rounds);
  expect(await tasks()).toHaveLength(before);
});

test('a chain of causes that is too long ends in a record that says so', async () => {
  const { vault, write, record, tasks, events } = await openRuntimeVault();
  await write('w.md', orders());
  let context: object = {};
  for (let link = 0; link < 20; link += 1) {
    const { event_id: causationId } = await record('elsewhere', { link }, human, context);
    context = { causationId };
  }
  await record('orders/1', { event_type: 'placed' }, human, context);
  await settle(vault.work.rounds());
  expect(await tasks()).toEqual([]);
  expect(await events('workflow_skipped')).toMatchObject([{ payload: { reason: expect.stringContaining('longer than 16') as string } }]);
});

test('what is asked for twice under one key is done once, and the second answer names the same task', async () => {
  const { vault, clock, write, tasks, data } = await openRuntimeVault();
  await write('w.md', workflow('asked', []));
  const first = await vault.work.fire({ workflow: 'asked', trigger: null, key: 'k' }, human);
  clock.move(60);
  const second = await vault.work.fire({ workflow: 'w.md', trigger: 'manual', key: 'k' }, human);
  expect([first.outcome, second.outcome]).toEqual(['created', 'exists']);
  expect(second.taskPath).toBe(first.taskPath);
  expect(await tasks()).toEqual([first.taskPath]);
  expect(await data(first.taskPath!)).toMatchObject({ trigger_type: 'manual', status: 'pending' });
  await expect(vault.work.fire({ workflow: 'nothing', trigger: null, key: 'x' }, human)).rejects.toMatchObject({ code: 'not_found' });
  await expect(vault.work.fire({ workflow: 'asked', trigger: 'never', key: 'x' }, human)).rejects.toMatchObject({ code: 'not_found' });
});

test('a workflow that is switched off does not fire on request either', async () => {
  const { vault, write } = await openRuntimeVault();
  await write('w.md', workflow('off', [], 'isActive: false\n'));
  await expect(vault.work.fire({ workflow: 'off', trigger: null, key: 'x' }, human)).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a condition is looked at once a minute, fires when it becomes true, and again only after it was false', async () => {
  const { vault, clock, write, submit, tasks, events } = await openRuntimeVault();
  await write('w.md', workflow('many', [`type: condition\nid: rules\nx_when: "count('rule') > 1"`]));
  const rule = (name: string) =>
    write(`rules/${name}.md`, `---\ntype: rule\nname: ${name}\ntitle: T\ndescription: d\ntimestamp: 2026-05-16T00:00:00Z\n---\n`);
  const rounds = vault.work.rounds();
  const minutePasses = async () => {
    clock.move(60);
    await settle(rounds);
    return (await tasks()).length;
  };
  await rule('a');
  expect(await minutePasses()).toBe(0);
  await rule('b');
  await settle(rounds);
  expect(await tasks()).toHaveLength(0);
  expect(await minutePasses()).toBe(1);
  expect(await minutePasses()).toBe(1);
  await submit({ type: 'delete', path: 'rules/b.md' });
  expect(await minutePasses()).toBe(1);
  await rule('c');
  const others = [rounds, vault.work.rounds(), vault.work.rounds()];
  clock.move(60);
  await Promise.all(others.map(each => settle(each)));
  await settle(rounds);
  expect(await tasks()).toHaveLength(2);
  expect(await events('workflow_condition_changed')).toHaveLength(3);
  await Promise.all(others.map(each => each.close()));
});
