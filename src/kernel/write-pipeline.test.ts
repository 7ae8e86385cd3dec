import { expect, test } from 'vitest';
import {
  assistant,
  claim,
  countingResources,
  del,
  documentOf,
  evt,
  op,
  openHarness,
  patch,
  person,
  rule,
  thread,
  withCapabilities,
} from '../../test/kernel-model/kernel-harness.ts';

const invalidRule = documentOf('rule', '', 'no name\n');
const nobodyYet = { principal: undefined };

test('a malformed envelope is reported before a missing principal', async () => {
  expect(await openHarness().code({}, nobodyYet)).toBe('invalid_request');
});

test('a caller without a principal learns nothing and reads nothing', async () => {
  const { accept, refuse, calls } = openHarness();
  await accept(op('a.md', rule('x')));
  calls.length = 0;
  const present = await refuse(del('a.md'), nobodyYet);
  const absent = await refuse(del('zz.md'), nobodyYet);
  expect(present.error).toEqual(absent.error);
  expect(present.error.code).toBe('unauthorized');
  expect(calls).toEqual([]);
});

test.each([null, {}, 'u1', [], { id: 'u1' }, { id: '', kind: 'human' }, { id: 'u1', kind: 3 }])(
  '%j is no principal: unauthorized before anything is read',
  async principal => {
    const { code, calls } = openHarness();
    expect(await code(op('a.md', invalidRule), { principal })).toBe('unauthorized');
    expect(calls).toEqual([]);
  },
);

test('an unsafe path is refused, but a used key decides first', async () => {
  const { accept, code } = openHarness();
  expect(await code(op('a/../b.md', rule('x')))).toBe('invalid_request');
  await accept(op('a.md', rule('x'), { idempotency_key: 'k' }));
  expect(await code(op('../x', rule('x'), { idempotency_key: 'k' }))).toBe('idempotency_conflict');
});

test.each([
  '/a.md',
  'a\\b.md',
  'a\0b.md',
  'a//b.md',
  './a.md',
  'a/./b.md',
  '../a.md',
  'a/..',
  '.git/config.md',
  'x/.SSSS/a.md',
  '.ssss-intents/a.md',
  `${'x'.repeat(256)}.md`,
  'notes/a.txt',
  'con.md',
  'a?.md',
])('nothing is created at %j', async path => {
  expect(await openHarness().code(op(path, rule('x')))).toBe('invalid_request');
});

test('an event needs a safe subject, not a document path', async () => {
  const { accept, code, calls } = openHarness();
  await accept(evt('orders/17', { n: 1 }));
  expect(calls.filter(call => call.startsWith('vfs.'))).toEqual([]);
  expect(await code(evt('a/../b'))).toBe('invalid_request');
});

test('a committed key replays after the caller lost the workspace', async () => {
  const { accept } = openHarness();
  const sent = op('a.md', rule('x'));
  const first = await accept(sent);
  const replay = await accept(sent, { principal: { ...person, workspaceIds: [] } });
  expect(replay).toEqual({ ...first, replay: true });
});

test('stage 4 reports before stage 5', async () => {
  const { code } = openHarness();
  const principal = withCapabilities();
  expect(await code(patch('absent.md', { a: 1 }), { principal })).toBe('not_found');
  expect(await code(op('a.md', invalidRule), { principal })).toBe('validation_failed');
});

test('an incomplete principal is refused at stage 5, after the document was judged', async () => {
  const { code } = openHarness();
  for (const broken of [
    { ...person, authentication: undefined },
    { ...person, authentication: { provider: '' } },
    { ...person, kind: 'robot' },
    { ...person, workspaceIds: 'ws-a' },
    { ...person, workspaceIds: [1] },
    { ...person, capabilities: undefined },
  ]) {
    expect(await code(op('a.md', invalidRule), { principal: broken })).toBe('validation_failed');
    expect(await code(op('a.md', rule('x')), { principal: broken })).toBe('unauthorized');
  }
});

test('stage 5 reports before stage 6, and stage 6 before anything is prepared', async () => {
  const log: string[] = [];
  const { code } = openHarness({ resources: countingResources(log) });
  expect(await code(op('a.md', claim), { principal: withCapabilities() })).toBe('forbidden');
  expect(await code(op('a.md', claim))).toBe('lease_conflict');
  expect(log).toEqual([]);
});

test('a failing prepare ends a dry run without anything to reconcile', async () => {
  const log: string[] = [];
  const { code } = openHarness({ resources: countingResources(log, { prepare: true }) });
  expect(await code(op('a.md', rule('x'), { dry_run: true }))).toBe('internal_error');
  expect(log).toEqual(['prepare']);
});

test('a dry run releases what it prepared, leaves no trace and frees its key', async () => {
  const log: string[] = [];
  const { accept, snapshot } = openHarness({ resources: countingResources(log) });
  await accept(op('a.md', rule('one')));
  log.length = 0;
  const before = await snapshot();
  const rehearsal = op('a.md', rule('two'), { idempotency_key: 'dry', dry_run: true });
  const response = await accept(rehearsal);
  expect(response).toMatchObject({ committed_at: null, dry_run: true, validation: { type: 'ssss:rule' } });
  expect(response).not.toHaveProperty('event_id');
  expect(log).toEqual(['prepare', 'reconcile(dry_run)']);
  expect(await snapshot()).toBe(before);
  expect((await accept({ ...rehearsal, dry_run: false })).replay).toBeUndefined();
});

test('a dry run of a committed key is the original answer', async () => {
  const { accept } = openHarness();
  const sent = op('a.md', rule('x'));
  const first = await accept(sent);
  expect(await accept({ ...sent, dry_run: true })).toEqual({ ...first, replay: true });
});

test('capabilities are asked per action and type', async () => {
  const { accept, code } = openHarness();
  expect(await code(op('a.md', rule('x')), { principal: withCapabilities('ssss:rule:replace') })).toBe('forbidden');
  const principal = withCapabilities('ssss:rule:*');
  await accept(op('a.md', rule('x')), { principal });
  await accept(op('a.md', rule('y')), { principal });
  await accept(patch('a.md', { scope: 'z' }), { principal });
  await accept(del('a.md'), { principal });
  expect(await code(op('s.md', documentOf('skill', 'name: s\n', '')), { principal })).toBe('forbidden');
});

test('an event needs write:event, which no type grant covers', async () => {
  const { accept, code } = openHarness();
  expect(await code(evt('x'), { principal: withCapabilities('ssss:*') })).toBe('forbidden');
  await accept(evt('x'), { principal: withCapabilities('write:event') });
  await accept(evt('x'), { principal: withCapabilities('write:*') });
});

test('a system principal needs no scope, but no one acts in a workspace that is not bound', async () => {
  const { accept, code } = openHarness();
  const system = { ...person, kind: 'system', workspaceIds: [], capabilities: [] };
  await accept(op('a.md', rule('x')), { principal: system });
  expect(await code({ ...op('a.md', rule('x')), workspace_id: 'ws-z' }, { principal: system })).toBe('forbidden');
  expect(await code({ ...patch('a.md', {}), workspace_id: 'ws-z' }, { principal: system })).toBe('not_found');
  expect(await code(op('b.md', rule('x')), { principal: { ...person, workspaceIds: ['ws-b'] } })).toBe('forbidden');
});

test('an actor in the envelope is no identity', async () => {
  const { code, accept, lastEvent } = openHarness();
  const sent = op('a.md', rule('x'), { actor: { role: 'system', id: 'root' } });
  expect(await code(sent, nobodyYet)).toBe('unauthorized');
  expect(await code(sent, { principal: withCapabilities() })).toBe('forbidden');
  await accept(sent);
  expect((await lastEvent()).principal.id).toBe('u1');
});

test('replacing, patching and appending are different rights', async () => {
  const { accept, code } = openHarness();
  await accept(op('t.md', thread('')));
  const principal = withCapabilities('ssss:thread:patch');
  await accept(patch('t.md', { status: 'closed' }), { principal });
  expect(await code(patch('t.md', { __body__: '### turn 1\n' }), { principal })).toBe('forbidden');
});

test('an asserted type never selects another type’s rights or rules', async () => {
  const { accept, code } = openHarness();
  await accept(op('a.md', assistant));
  await accept(op('t.md', thread('')));
  expect(await code(patch('a.md', { name: 'b' }, { primitive_type: 'rule' }), { principal: withCapabilities('ssss:rule:patch') })).toBe(
    'validation_failed',
  );
  expect(await code(del('t.md', { primitive_type: 'rule' }), { principal: { ...person, kind: 'system' } })).toBe('validation_failed');
  expect(await code(del('a.md', { primitive_type: 'nope' }))).toBe('validation_failed');
  await accept(patch('a.md', { name: 'b' }, { primitive_type: 'ssss:assistant' }));
});

test('an authorizer that throws commits nothing', async () => {
  const authorizer = { authorize: () => Promise.reject(new Error('policy is down')) };
  const { refuse } = openHarness({ authorizer });
  const { error } = await refuse(op('a.md', rule('x')));
  expect(error.code).toBe('internal_error');
  expect(error.message).toContain('policy is down');
});

test('an authorizer that answers nothing clear has allowed nothing', async () => {
  const authorizer = { authorize: async () => ({ allowed: 'yes' as unknown as boolean }) };
  expect(await openHarness({ authorizer }).code(op('a.md', rule('x')))).toBe('forbidden');
});
