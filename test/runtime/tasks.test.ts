import { expect, test } from 'vitest';
import { agent, human, openRuntimeVault, settle, workflow } from './runtime-vault.ts';

const openWithTask = async (more = '') => {
  const opened = await openRuntimeVault();
  await opened.write('w.md', workflow('work', ['type: manual\nid: go'], more));
  const { taskPath } = await opened.vault.work.fire({ workflow: 'work', trigger: null, key: 'first' }, human);
  return { ...opened, task: taskPath! };
};

const claimed = async (vault: Awaited<ReturnType<typeof openWithTask>>['vault'], task: string | null = null, ttlSeconds?: number) => {
  const claim = await vault.work.claim({ task, worker: 'w1', ttlSeconds }, agent);
  if (claim === null) throw new Error('nothing to claim');
  return {
    claim,
    ticket: { taskPath: claim.task_path, lease_id: claim.lease_id, operation_id: claim.operation_id, principal_id: agent.id },
  };
};

const code = (wanted: string) => expect.objectContaining({ code: wanted }) as unknown;

test('a task is claimed, reported on and done: task, run and log say so', async () => {
  const { vault, task, data, runs, events } = await openWithTask();
  const { claim, ticket } = await claimed(vault);
  expect(claim.task_path).toBe(task);
  expect(claim.run_path).toBe(task.replace(/^tasks/, 'runs').replace(/\.md$/, '/1/RUN.md'));
  expect(await data(task)).toMatchObject({ status: 'in_progress', attempts: 1, claimed_by: 'w1', claim_id: claim.lease_id });
  expect(await data(claim.run_path)).toMatchObject({ status: 'claimed', workflow_id: 'work', task_path: task });
  await vault.work.step(ticket, { name: 'gather', status: 'ok', text: '12 messages.', provenance: ['w.md'] }, {});
  expect(await data(claim.run_path)).toMatchObject({ status: 'running', step_count: 1, provenance: ['w.md'] });
  await vault.work.finish(ticket, { kind: 'succeeded', summary: 'Sent.' });
  expect(await data(task)).toMatchObject({ status: 'done' });
  expect(await data(claim.run_path)).toMatchObject({ status: 'succeeded', step_count: 2, ended_at: '2026-05-16T00:00:00Z' });
  expect((await vault.read(claim.run_path))!.text).toContain('### step 1 — gather — 2026-05-16T00:00:00Z — ok\n12 messages.\n');
  expect(await runs()).toEqual([claim.run_path]);
  // All of it follows from the firing, in one saga.
  const [fired] = await events('workflow_triggered');
  const saga = (await events()).filter(event => event.correlation_id === fired!.correlation_id);
  expect(saga.map(event => event.principal.id)).toEqual(Array.from({ length: 7 }, () => 'sheaf:runtime'));
  expect(await vault.leases.list(vault.workspaceId)).toEqual([]);
});

test("a task that somebody works on is nobody else's, and a claim without a name takes the next one", async () => {
  const { vault, task, clock } = await openWithTask();
  const other = await vault.work.fire({ workflow: 'work', trigger: 'go', key: 'second' }, human);
  await claimed(vault, task);
  await expect(vault.work.claim({ task, worker: 'w2' }, human)).rejects.toThrow(/leased until/);
  expect((await claimed(vault)).claim.task_path).toBe(other.taskPath);
  clock.move(5);
  expect(await vault.work.claim({ task: null, worker: 'w2' }, human)).toBeNull();
  await expect(vault.work.claim({ task: 'tasks/none.md', worker: 'w2' }, human)).rejects.toEqual(code('not_found'));
});

test('the next task is the one of the highest priority, then the oldest; what was filed by hand comes last', async () => {
  const { vault, write, task } = await openWithTask();
  const adHoc = (priority: string, time: string) =>
    `---\ntype: task\ntitle: T\ndescription: d\ntimestamp: ${time}\npriority: ${priority}\ncategory: c\nstatus: pending\n${priority === '99' ? '' : 'workflow_id: other\n'}---\n`;
  await write('tasks/low.md', adHoc('low', '2026-01-01T00:00:00Z'));
  await write('tasks/high.md', adHoc('high', '2026-05-17T00:00:00Z'));
  await write('tasks/old.md', adHoc('50', '2026-05-01T00:00:00Z'));
  await write('tasks/by-hand.md', adHoc('99', '2026-01-01T00:00:00Z'));
  const order = [];
  for (let next = 0; next < 5; next += 1) order.push((await claimed(vault)).claim.task_path);
  expect(order).toEqual(['tasks/high.md', 'tasks/old.md', task, 'tasks/low.md', 'tasks/by-hand.md']);
});

test('a worker that lost its lease writes nothing more: no step, no result', async () => {
  const { vault, clock, task, data } = await openWithTask();
  const { claim, ticket } = await claimed(vault, task, 30);
  clock.move(31);
  await expect(vault.work.step(ticket, { name: 's', status: 'ok', text: 'late' }, {})).rejects.toEqual(code('lease_conflict'));
  const next = await claimed(vault, task);
  for (const late of [ticket, { ...next.ticket, principal_id: 'agent:other' }, { ...next.ticket, operation_id: 'x' }]) {
    await expect(vault.work.step(late, { name: 's', status: 'ok', text: 'late' }, {})).rejects.toEqual(code('lease_conflict'));
    await expect(vault.work.finish(late, { kind: 'succeeded', summary: 'late' })).rejects.toEqual(code('lease_conflict'));
  }
  // The run of the first is closed where everybody sees it.
  expect(await data(claim.run_path)).toMatchObject({ status: 'retrying', x_reason: expect.stringContaining('worker was gone') as string });
  expect((await vault.read(claim.run_path))!.text).not.toContain('late');
  expect(await data(task)).toMatchObject({ status: 'in_progress', attempts: 2, x_run_path: next.claim.run_path });
});

test('a step keeps the claim alive, and under one key it is one step', async () => {
  const { vault, clock, task, data } = await openWithTask();
  const { claim, ticket } = await claimed(vault, task, 60);
  for (let minute = 0; minute < 4; minute += 1) {
    clock.move(50);
    await vault.work.step(ticket, { name: `s${minute}`, status: 'ok', text: '' }, { key: `k${minute}` });
    await vault.work.step(ticket, { name: `s${minute}`, status: 'ok', text: '' }, { key: `k${minute}` });
  }
  expect(await data(claim.run_path)).toMatchObject({ step_count: 4 });
});

test('nothing in the text of a step begins another record or ends the record of the run', async () => {
  const { vault, task, data } = await openWithTask();
  const { claim, ticket } = await claimed(vault, task);
  const hostile = '### step 9 — fake — 2026-05-16T00:00:00Z — ok\n---\ntype: rule\n---\n```\nopen fence\n<<<<<<< mine\n\u001b[2J';
  await vault.work.step(ticket, { name: 'a — b\n### step 8', status: 'ok', text: hostile }, {});
  await vault.work.step(ticket, { name: 'next', status: 'ok', text: 'after' }, {});
  expect(await data(claim.run_path)).toMatchObject({ type: 'run', step_count: 2 });
  await vault.work.finish(ticket, { kind: 'succeeded', summary: '' });
  expect(await data(claim.run_path)).toMatchObject({ step_count: 3 });
});

test('a failure that may pass is retried later and later, then given up with a record of it', async () => {
  const { vault, clock, task, data, events } = await openWithTask('x_max_attempts: 3\n');
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const { claim, ticket } = await claimed(vault, task);
    await vault.work.finish(ticket, { kind: 'failed', reason: 'The service is down.', retry: true });
    const after = await data(task);
    expect(after).toMatchObject({ attempts: attempt, status: attempt === 3 ? 'failed' : 'pending' });
    expect(await data(claim.run_path)).toMatchObject({ status: attempt === 3 ? 'dead_letter' : 'retrying' });
    if (attempt === 3) break;
    waits.push((Date.parse(String(after['next_attempt_at'])) - clock.now().getTime()) / 1000);
    expect(await vault.work.claim({ task: null, worker: 'w' }, agent)).toBeNull();
    await expect(vault.work.claim({ task, worker: 'w' }, agent)).rejects.toThrow(/next try is at/);
    clock.move(waits.at(-1)! + 1);
  }
  expect(waits[0]).toBeGreaterThanOrEqual(15);
  expect(waits[0]).toBeLessThanOrEqual(30);
  expect(waits[1]).toBeGreaterThanOrEqual(30);
  expect(waits[1]).toBeLessThanOrEqual(60);
  expect(await events('ssss.runtime.dead_letter')).toMatchObject([
    { subject: task, payload: { attempts: 3, reason: 'The service is down.' } },
  ]);
});

test('a failure that will not pass is final at once', async () => {
  const { vault, task, data } = await openWithTask();
  const { claim, ticket } = await claimed(vault, task);
  await vault.work.finish(ticket, { kind: 'failed', reason: 'Wrong address.', retry: false });
  expect(await data(task)).toMatchObject({ status: 'failed', x_reason: 'Wrong address.' });
  expect(await data(claim.run_path)).toMatchObject({ status: 'failed' });
  // The answer may have been lost.
  expect(await vault.work.finish(ticket, { kind: 'failed', reason: 'Wrong address.', retry: false })).toMatchObject({ status: 'failed' });
  await expect(vault.work.finish(ticket, { kind: 'succeeded', summary: '' })).rejects.toEqual(code('lease_conflict'));
});

test('a success whose worker died before the task said so is not worked on again', async () => {
  let failing = false;
  const { vault, clock, write, data, runs } = await openRuntimeVault('2026-05-16T00:00:00Z', adapters => ({
    ...adapters,
    vfs: {
      ...adapters.vfs,
      writeAtomic(path, bytes, options) {
        if (failing && path.startsWith('tasks/')) throw new Error('gone');
        return adapters.vfs.writeAtomic(path, bytes, options);
      },
    },
  }));
  await write('w.md', workflow('work', []));
  const { taskPath } = await vault.work.fire({ workflow: 'work', trigger: null, key: 'k' }, human);
  const { ticket } = await claimed(vault, taskPath);
  failing = true;
  await expect(vault.work.finish(ticket, { kind: 'succeeded', summary: 'Done.' })).rejects.toThrow(/gone/);
  failing = false;
  expect(await data(taskPath!)).toMatchObject({ status: 'in_progress' });
  clock.move(100);
  expect(await vault.work.claim({ task: null, worker: 'w2' }, agent)).toBeNull();
  expect(await data(taskPath!)).toMatchObject({ status: 'done' });
  expect(await runs()).toHaveLength(1);
});

test('a daemon closes what a worker that is gone has left, so that a trigger is not held up by it', async () => {
  const { vault, clock, task, data } = await openWithTask();
  const { claim } = await claimed(vault, task, 20);
  const rounds = vault.work.rounds();
  await rounds.round();
  expect(await data(task)).toMatchObject({ status: 'in_progress' });
  clock.move(21);
  expect((await rounds.round()).interrupted).toEqual([task]);
  expect(await data(task)).toMatchObject({ status: 'pending', attempts: 1 });
  expect((await vault.read(claim.run_path))!.text).toContain('— interrupted —');
});

test('canceled work ends whoever is at it', async () => {
  const { vault, task, data } = await openWithTask();
  const { claim, ticket } = await claimed(vault, task);
  await vault.work.cancel(task, 'No longer needed.');
  expect(await data(task)).toMatchObject({ status: 'failed', x_reason: 'No longer needed.' });
  expect(await data(claim.run_path)).toMatchObject({ status: 'canceled' });
  await expect(vault.work.step(ticket, { name: 's', status: 'ok', text: 'late' }, {})).rejects.toEqual(code('lease_conflict'));
  expect(await vault.work.cancel(task, 'again')).toMatchObject({ status: 'failed' });
});

test('what waits for a person goes on in the same run after the word of another person, and ends when it is rejected', async () => {
  const { vault, clock, task, data } = await openWithTask();
  const { claim, ticket } = await claimed(vault, task);
  await vault.work.finish(ticket, { kind: 'waiting_for_human', question: 'May I write to\nCustomer 7?' });
  expect(await data(claim.run_path)).toMatchObject({ status: 'waiting_for_human' });
  expect(await data(task)).toMatchObject({ status: 'pending', x_waiting_for_human: 'May I write to\nCustomer 7?' });
  clock.move(3600);
  await expect(vault.work.claim({ task, worker: 'w' }, agent)).rejects.toThrow(/waits for a person/);
  await expect(vault.work.decide(task, { approved: true, by: agent.id, reason: 'me' })).rejects.toEqual(code('forbidden'));
  await vault.work.decide(task, { approved: true, by: human.id, reason: 'Yes.' });
  const again = await claimed(vault, task);
  expect(again.claim.run_path).toBe(claim.run_path);
  expect(await data(task)).toMatchObject({
    attempts: 1,
    x_decision: { approved: true, by: human.id, question: 'May I write to\nCustomer 7?' },
  });
  await vault.work.finish(again.ticket, { kind: 'waiting_for_human', question: 'And now?' });
  await vault.work.decide(task, { approved: false, by: human.id, reason: 'No.' });
  expect(await data(task)).toMatchObject({ status: 'failed', x_reason: `rejected by ${human.id}: No.` });
  await expect(vault.work.decide(task, { approved: true, by: human.id, reason: 'late' })).rejects.toEqual(code('version_conflict'));
});

const repeated = (policy: string) =>
  workflow('often', [`type: interval\nid: each\ninterval: 1h\nconcurrency: ${policy}\nmisfire_policy: run_once`]);

test.each([
  ['allow_parallel', 2, ['in_progress', 'pending']],
  ['skip_if_running', 1, ['in_progress']],
  ['enqueue', 2, ['in_progress', 'pending']],
  ['replace', 2, ['failed', 'pending']],
])('%s: while earlier work is active', async (policy, count, statuses) => {
  const { vault, clock, write, tasks, data, events } = await openRuntimeVault();
  await write('w.md', repeated(policy));
  clock.set('2026-05-16T01:00:00Z');
  const rounds = vault.work.rounds();
  await settle(rounds);
  const first = await claimed(vault, null, 86_400);
  clock.set('2026-05-16T02:00:00Z');
  await settle(rounds);
  await settle(vault.work.rounds());
  const made = await tasks();
  expect(made).toHaveLength(count);
  expect(await Promise.all(made.map(async path => (await data(path))['status']))).toEqual(statuses);
  expect(await events('workflow_skipped')).toHaveLength(policy === 'skip_if_running' ? 1 : 0);
  if (policy === 'replace') expect(await data(first.claim.run_path)).toMatchObject({ status: 'canceled' });
  if (policy === 'enqueue') {
    await expect(vault.work.claim({ task: made[1]!, worker: 'w' }, agent)).rejects.toThrow(/earlier work/);
    expect(await vault.work.claim({ task: null, worker: 'w' }, agent)).toBeNull();
  }
  await vault.work.finish(policy === 'replace' ? (await claimed(vault, made[1])).ticket : first.ticket, { kind: 'succeeded', summary: '' });
  // Nothing reopens what was skipped.
  await settle(vault.work.rounds());
  expect(await tasks()).toHaveLength(count);
  if (policy === 'enqueue') expect((await claimed(vault)).claim.task_path).toBe(made[1]);
});

test('a pending task with a run that is to be tried again is active; one that nobody began is not', async () => {
  const { vault, clock, write, tasks } = await openRuntimeVault();
  await write('w.md', repeated('skip_if_running'));
  const rounds = vault.work.rounds();
  for (const hour of ['01', '02']) {
    clock.set(`2026-05-16T${hour}:00:00Z`);
    await settle(rounds);
  }
  expect(await tasks()).toHaveLength(2);
  const { ticket } = await claimed(vault);
  await vault.work.finish(ticket, { kind: 'failed', reason: 'down', retry: true });
  clock.set('2026-05-16T03:00:00Z');
  await settle(rounds);
  expect(await tasks()).toHaveLength(2);
});

test('a task that names the run of another writes nothing to it: no step, no end, no decision', async () => {
  const { vault, write, submit, data, task: mine } = await openWithTask();
  const { taskPath: theirs } = await vault.work.fire({ workflow: 'work', trigger: null, key: 'second' }, human);
  const other = await vault.work.claim({ task: theirs, worker: 'w2' }, human);
  const untouched = (await vault.read(other!.run_path))!.hash;
  const { ticket } = await claimed(vault, mine);
  await submit({ type: 'patch', path: mine, patches: { x_run_path: other!.run_path } }, agent);
  await expect(vault.work.step(ticket, { name: 's', status: 'ok', text: 'forged' }, {})).rejects.toEqual(code('lease_conflict'));
  await expect(vault.work.finish(ticket, { kind: 'succeeded', summary: 'forged' })).rejects.toEqual(code('lease_conflict'));
  await vault.work.cancel(mine, 'enough');
  const base = '---\ntype: task\ntitle: T\ndescription: d\ntimestamp: 2026-05-16T00:00:00Z\npriority: 50\ncategory: c\n';
  await write('tasks/gone.md', `${base}status: in_progress\nx_run_path: ${other!.run_path}\n---\n`, agent);
  await write('tasks/asks.md', `${base}status: pending\nx_waiting_for_human: May I?\nx_run_path: ${other!.run_path}\n---\n`, agent);
  await settle(vault.work.rounds());
  const decided = vault.work.decide('tasks/asks.md', { approved: true, by: human.id, reason: 'Yes.' });
  await expect(decided).rejects.toEqual(code('version_conflict'));
  expect((await vault.read(other!.run_path))!.hash).toBe(untouched);
  expect(await data(theirs!)).toMatchObject({ status: 'in_progress' });
  expect(await data('tasks/gone.md')).toMatchObject({ status: 'pending', x_reason: expect.stringContaining('worker was gone') as string });
});

test('what is free is found behind any number of tasks that others work on', async () => {
  const { vault, write } = await openRuntimeVault();
  const names = Array.from({ length: 55 }, (_, index) => `tasks/${index + 10}.md`);
  for (const path of names)
    await write(
      path,
      '---\ntype: task\ntitle: T\ndescription: d\ntimestamp: 2026-05-16T00:00:00Z\npriority: 50\ncategory: c\nstatus: pending\n---\n',
    );
  const taken = [];
  for (const worker of names) taken.push((await vault.work.claim({ task: null, worker }, agent))?.task_path);
  expect(taken).toEqual(names);
  expect(await vault.work.claim({ task: null, worker: 'late' }, agent)).toBeNull();
});

test('whoever asked cannot decide, whatever the task says of who asked', async () => {
  const { vault, submit, task } = await openWithTask();
  const { ticket } = await claimed(vault, task);
  await vault.work.finish(ticket, { kind: 'waiting_for_human', question: 'May I?' });
  await submit({ type: 'patch', path: task, patches: { x_claimed_as: 'nobody' } }, agent);
  await expect(vault.work.decide(task, { approved: true, by: agent.id, reason: 'me' })).rejects.toEqual(code('forbidden'));
  await vault.work.decide(task, { approved: true, by: human.id, reason: 'Yes.' });
});

test('a question that was exchanged after the run asked it is decided by nobody', async () => {
  const { vault, submit, data, task } = await openWithTask();
  const { claim, ticket } = await claimed(vault, task);
  await vault.work.finish(ticket, { kind: 'waiting_for_human', question: 'May I write one page?' });
  const asked = (question: string) => submit({ type: 'patch', path: task, patches: { x_waiting_for_human: question } }, agent);
  const decide = () => vault.work.decide(task, { approved: true, by: human.id, reason: 'Yes.' });
  await asked('May I write all pages?');
  await expect(decide()).rejects.toEqual(code('version_conflict'));
  await submit({ type: 'patch', path: claim.run_path, patches: { x_question: 'May I write all pages?' } }, agent);
  await expect(decide()).rejects.toEqual(code('version_conflict'));
  expect(await data(claim.run_path)).toMatchObject({ status: 'waiting_for_human' });
  await vault.work.cancel(task, 'nobody knows who asks');
  expect(await data(task)).toMatchObject({ status: 'failed' });
});
