import { expect, test } from 'vitest';
import type { CanonicalEvent } from '#api';
import type { VaultAdapters } from '#open-vault';
import { bodyOf, contents, rule, run, task, vaultWith, writeAll } from './linked-vault.ts';

const files = {
  'rules/tone.md': rule('# h\n\nSelf [[tone]], [other](other.md).\n', 'slug: tone\n', 'Tone of voice'),
  'rules/other.md': rule('[t](tone.md#h) and [[tone|the tone]].\n', 'relations:\n  - rules/tone.md\n'),
  'notes/n.md': rule('[t](/rules/tone.md "x") [u](<../rules/tone.md>) `[[tone]]`\n', 'x_next: rules/tone.md\n'),
  'rules/index.md': '- [tone](/rules/tone.md)\n',
  'memo/free.md': rule('Nothing here.\n'),
};

test('a document moves with every link to it, in one flow that its making caused', async () => {
  const vault = await vaultWith(files);
  const before = await vault.lastCursor();
  const report = await vault.links.move('rules/tone.md', 'voice/how we speak.md', { principal: vault.localPrincipal() });
  expect(report.complete).toBe(true);
  expect(report.steps.map(({ step, path, outcome }) => `${step} ${path} ${outcome}`)).toEqual([
    'create voice/how we speak.md done',
    'rewrite notes/n.md done',
    'rewrite rules/index.md done',
    'rewrite rules/other.md done',
    'delete rules/tone.md done',
  ]);
  const after = await contents(vault);
  expect(after['rules/tone.md']).toBeUndefined();
  expect(bodyOf(after['voice/how we speak.md']!)).toBe('# h\n\nSelf [[how we speak]], [other](../rules/other.md).\n');
  expect(bodyOf(after['rules/other.md']!)).toBe('[t](../voice/how%20we%20speak.md#h) and [[how we speak|the tone]].\n');
  expect(after['rules/other.md']).toContain('relations:\n  - voice/how we speak.md\n');
  expect(bodyOf(after['notes/n.md']!)).toBe('[t](/voice/how%20we%20speak.md "x") [u](<../voice/how%20we%20speak.md>) `[[tone]]`\n');
  expect(after['notes/n.md']).toContain('x_next: voice/how we speak.md\n');
  expect(after['rules/index.md']).toBe('- [tone](/voice/how%20we%20speak.md)\n');
  expect(after['memo/free.md']).toBe(files['memo/free.md']);
  expect((await vault.links.check()).problems).toEqual([]);
  const events: CanonicalEvent[] = [];
  for await (const { event } of vault.events(before === null ? {} : { cursor: before })) events.push(event);
  expect(new Set(events.map(event => event.correlation_id))).toEqual(new Set([report.correlation_id]));
  expect(events.map(event => event.causation_id)).toEqual([null, ...events.slice(1).map(() => events[0]!.event_id)]);
});

test('a move that was made is done when it is asked for again', async () => {
  const vault = await vaultWith(files);
  const writer = { principal: vault.localPrincipal() };
  const first = await vault.links.move('rules/tone.md', 'voice/', writer);
  const cursor = await vault.lastCursor();
  const again = await vault.links.move('rules/tone.md', 'voice/', writer);
  expect(again).toMatchObject({ complete: true, correlation_id: first.correlation_id, moves: [{ to: 'voice/tone.md' }] });
  expect(await vault.lastCursor()).toBe(cursor);
});

test('there and back and there again moves three times', async () => {
  const vault = await vaultWith({ ...files, 'rules/tone.md': rule('[other](/rules/other.md)\n# h\n') });
  const writer = { principal: vault.localPrincipal() };
  const once = await contents(vault);
  for (let turn = 0; turn < 2; turn++) {
    expect((await vault.links.move('rules/tone.md', 'x/tone.md', writer)).complete).toBe(true);
    expect(Object.keys(await contents(vault))).not.toContain('rules/tone.md');
    expect((await vault.links.move('x/tone.md', 'rules/tone.md', writer)).complete).toBe(true);
    expect(await contents(vault)).toEqual(once);
  }
});

test('a rehearsal says every step and changes nothing', async () => {
  const vault = await vaultWith(files);
  const [before, cursor] = [await contents(vault), await vault.lastCursor()];
  const plan = await vault.links.move('rules/tone.md', 'voice/tone.md', { principal: vault.localPrincipal(), dryRun: true });
  expect(plan.steps.map(({ step, outcome, edits }) => [step, outcome, edits.length])).toEqual([
    ['create', 'planned', 1],
    ['rewrite', 'planned', 3],
    ['rewrite', 'planned', 1],
    ['rewrite', 'planned', 2],
    ['delete', 'planned', 0],
  ]);
  expect([await contents(vault), await vault.lastCursor()]).toEqual([before, cursor]);
});

test('a directory moves as a whole, links among its documents and its table of contents with it', async () => {
  const vault = await vaultWith({ ...files, 'memo/free.md': rule('[[rules/tone]] [[other]] [o](/rules/other.md)\n') });
  const report = await vault.links.move('rules/', 'policies/', { principal: vault.localPrincipal() });
  expect(report.complete).toBe(true);
  const after = await contents(vault);
  expect(Object.keys(after)).toEqual(['memo/free.md', 'notes/n.md', 'policies/index.md', 'policies/other.md', 'policies/tone.md']);
  expect(bodyOf(after['memo/free.md']!)).toBe('[[policies/tone]] [[other]] [o](/policies/other.md)\n');
  expect(bodyOf(after['policies/other.md']!)).toBe('[t](tone.md#h) and [[tone|the tone]].\n');
  expect(after['policies/index.md']).toBe('- [tone](/policies/tone.md)\n');
  expect((await vault.links.check()).problems).toEqual([]);
});

test('links in records are kept and named, their frontmatter follows', async () => {
  const record = run('### step 1 — a — 2026-05-16T14:00:00Z — ok\n\nSee [[tone]].\n').replace(
    'run_id: r\n',
    'run_id: r\nx_rule: rules/tone.md\n',
  );
  const vault = await vaultWith({ ...files, 'runs/r/RUN.md': record });
  const report = await vault.links.move('rules/tone.md', 'rules/voice.md', { principal: vault.localPrincipal() });
  expect(report.kept).toEqual([{ path: 'runs/r/RUN.md', line: 14, target: 'tone', reason: 'records are only ever appended to' }]);
  expect((await contents(vault))['runs/r/RUN.md']).toBe(record.replace('x_rule: rules/tone.md', 'x_rule: rules/voice.md'));
});

test.each([
  ['onto a document', 'rules/tone.md', 'rules/other.md', 'version_conflict'],
  ['a document that is not there', 'rules/none.md', 'rules/x.md', 'not_found'],
  ['a record', 'runs/r/RUN.md', 'runs/s/RUN.md', 'validation_failed'],
  ['a directory with records', 'runs', 'past', 'validation_failed'],
  ['to a name without an ending', 'rules/tone.md', 'rules/tone', 'invalid_request'],
  ['out of the vault', 'rules/tone.md', '../tone.md', 'invalid_request'],
  ['into the host directory', 'rules/tone.md', '.ssss/tone.md', 'invalid_request'],
  ['into itself', 'rules', 'rules/old', 'invalid_request'],
  ['to where it is', 'rules/tone.md', 'rules/tone.md', 'invalid_request'],
  ['to another letter case', 'rules/tone.md', 'rules/Tone.md', 'invalid_request'],
  ['a page to a document', 'rules/index.md', 'rules/list.md', 'invalid_request'],
])('a move %s is refused before anything is changed', async (_name, from, to, code) => {
  const vault = await vaultWith({ ...files, 'runs/r/RUN.md': run('') });
  const cursor = await vault.lastCursor();
  await expect(vault.links.move(from, to, { principal: vault.localPrincipal() })).rejects.toMatchObject({ code });
  expect(await vault.lastCursor()).toBe(cursor);
});

test('who may not write one of the documents moves nothing', async () => {
  const vault = await vaultWith({ ...files, 'tasks/t.md': `${task()}[[tone]]\n` });
  const cursor = await vault.lastCursor();
  const agent = {
    id: 'agent:a',
    kind: 'agent',
    workspaceIds: ['ws-memory'],
    capabilities: ['ssss:rule:*', 'ssss:index:*'],
    authentication: { provider: 'test' },
  } as const;
  await expect(vault.links.move('rules/tone.md', 'rules/v.md', { principal: agent })).rejects.toMatchObject({ code: 'forbidden' });
  expect(await vault.lastCursor()).toBe(cursor);
});

test('a document that somebody holds a lease on does not move', async () => {
  const vault = await vaultWith(files);
  await vault.leases.acquire({ workspace_id: vault.workspaceId, target: 'notes/n.md', principal_id: 'agent:b', operation_id: 'o' });
  const moving = vault.links.move('rules/tone.md', 'rules/v.md', { principal: vault.localPrincipal() });
  await expect(moving).rejects.toMatchObject({ code: 'lease_conflict', message: expect.stringContaining("'agent:b'") });
});

test('where leases are required the move takes them and gives them back', async () => {
  const vault = await vaultWith({ 'free/a.md': rule('A') }, { policy: { lease_required: ['rules/**'] } });
  const report = await vault.links.move('free/a.md', 'rules/a.md', { principal: vault.localPrincipal() });
  expect(report.complete).toBe(true);
  expect(await vault.leases.list(vault.workspaceId)).toEqual([]);
});

test('a move that fails anywhere tells what it did, and is finished by making it again', async () => {
  let appendsLeft = Number.POSITIVE_INFINITY;
  const wrapAdapters = (adapters: VaultAdapters): VaultAdapters => ({
    ...adapters,
    events: {
      ...adapters.events,
      append: async event => {
        if (appendsLeft-- <= 0) throw new Error('the disk is full');
        return adapters.events.append(event);
      },
    },
  });
  const straight = await vaultWith(files);
  await straight.links.move('rules/', 'policies/', { principal: straight.localPrincipal() });
  const goal = await contents(straight);
  for (let steps = 0; steps < 9; steps++) {
    appendsLeft = Number.POSITIVE_INFINITY;
    const vault = await vaultWith(files, { wrapAdapters });
    const writer = { principal: vault.localPrincipal() };
    appendsLeft = steps;
    const broken = await vault.links.move('rules/', 'policies/', writer);
    const done = broken.steps.filter(({ outcome }) => outcome === 'done');
    expect([done.length, broken.complete]).toEqual([Math.min(steps, 7), steps >= 7]);
    if (broken.complete) continue;
    expect(broken.steps.some(({ outcome, reason }) => outcome === 'refused' && reason?.includes('the disk is full'))).toBe(true);
    // Nothing that was written is lost, and no link of a document that stays leads nowhere. While both are there, a bare name may mean either.
    const halfway = await contents(vault);
    for (const name of ['tone', 'other']) expect(halfway[`rules/${name}.md`] ?? halfway[`policies/${name}.md`]).toBeDefined();
    const stays = (await vault.links.check()).problems.filter(
      ({ path, fault }) => fault === 'missing' && !/^(?:policies|rules)\//.test(path),
    );
    expect(stays).toEqual([]);
    appendsLeft = Number.POSITIVE_INFINITY;
    const finished = await vault.links.move('rules/', 'policies/', writer);
    expect(finished).toMatchObject({
      complete: true,
      correlation_id: broken.steps.some(({ outcome }) => outcome === 'done') ? broken.correlation_id : expect.any(String),
    });
    expect(await contents(vault)).toEqual(goal);
  }
});

test('a link that is written while the move runs is found, too', async () => {
  const hooked: { late?: () => Promise<void> } = {};
  const wrapAdapters = (adapters: VaultAdapters): VaultAdapters => ({
    ...adapters,
    events: {
      ...adapters.events,
      append: async event => {
        await adapters.events.append(event);
        if (event.subject === 'notes/n.md' && event.action === 'patch') {
          const late = hooked.late;
          delete hooked.late;
          await late?.();
        }
      },
    },
  });
  const vault = await vaultWith(files, { wrapAdapters });
  hooked.late = () => writeAll(vault, { 'aaa/late.md': rule('[[rules/tone]]') });
  const report = await vault.links.move('rules/tone.md', 'rules/voice.md', { principal: vault.localPrincipal() });
  expect(report.complete).toBe(true);
  expect(bodyOf((await contents(vault))['aaa/late.md']!)).toBe('[[rules/voice]]');
});
