import { expect, test } from 'vitest';
import { createMemoryStore } from '#stores/memory';
import {
  del,
  documentOf,
  evt,
  failing,
  fixedClock,
  op,
  openHarness,
  patch,
  person,
  rule,
  thread,
} from '../../test/kernel-model/kernel-harness.ts';

/** A store whose idempotency records are gone: the log alone must answer. */
const forgetful = () => {
  const store = createMemoryStore();
  const wiped = { ...store, idempotency: createMemoryStore().idempotency };
  return { store, wiped };
};

test('a replay is the original answer and touches no document', async () => {
  const { accept, calls, snapshot } = openHarness();
  const sent = op('a.md', rule('x'));
  const first = await accept(sent);
  const before = await snapshot();
  calls.length = 0;
  expect(await accept({ ...sent, intent: 'again', operation_id: 'other', lease_id: 'l', dry_run: true })).toEqual({
    ...first,
    replay: true,
  });
  expect(calls.filter(call => call.startsWith('vfs.') || call === 'events.append')).toEqual([]);
  expect(await snapshot()).toBe(before);
});

test('a used key refuses another request and another principal, telling neither anything', async () => {
  const { accept, refuse } = openHarness();
  const sent = op('secret.md', rule('x'), { idempotency_key: 'k' });
  const { event_id } = await accept(sent);
  for (const response of [
    await refuse({ ...sent, path: 'b.md' }),
    await refuse({ ...sent, path: 'b.md' }, { principal: { ...person, id: 'u2' } }),
  ]) {
    expect(response.error.code).toBe('idempotency_conflict');
    expect(JSON.stringify(response)).not.toContain('secret');
    expect(JSON.stringify(response)).not.toContain(event_id);
  }
  expect((await refuse(sent, { principal: { ...person, id: 'u2' } })).error.code).toBe('idempotency_conflict');
});

test('one key in two requests of two types is two requests', async () => {
  const { accept, code } = openHarness();
  await accept(evt('a.md', undefined, { idempotency_key: 'k' }));
  expect(await code(del('a.md', { idempotency_key: 'k' }))).toBe('idempotency_conflict');
});

test('a failure and a dry run record nothing, so their key is free', async () => {
  const { accept, code } = openHarness();
  expect(await code(op('a.md', documentOf('rule', '', ''), { idempotency_key: 'k' }))).toBe('validation_failed');
  await accept(op('a.md', rule('x'), { idempotency_key: 'k', dry_run: true }));
  expect((await accept(op('a.md', rule('y'), { idempotency_key: 'k' }))).replay).toBeUndefined();
});

test.each([`${'x'.repeat(10_000)}`, '🦊\nkey', '../../etc/passwd', 'constructor', '__proto__'])('keys are opaque (%#)', async key => {
  const { accept } = openHarness();
  const sent = op('a.md', rule('x'), { idempotency_key: key });
  await accept(sent);
  expect((await accept(sent)).replay).toBe(true);
});

test('without the store’s record the log rebuilds every kind of answer', async () => {
  const { store, wiped } = forgetful();
  const { accept } = openHarness({ store });
  const sent = [
    op('a.md', rule('x')),
    op('a.md', rule('y')),
    patch('a.md', { scope: 's' }),
    op('t.md', thread('')),
    patch('t.md', { __body__: '### turn 1\n' }),
    evt('s', { warnings: ['mine'] }),
    del('a.md'),
    op('plain.md', rule('z')),
  ];
  const answers = [];
  for (const envelope of sent) answers.push(await accept(envelope));
  const later = openHarness({ store: wiped });
  for (const [index, envelope] of sent.entries()) expect(await later.accept(envelope)).toEqual({ ...answers[index], replay: true });
  expect(await later.code({ ...sent[0], path: 'b.md' })).toBe('idempotency_conflict');
});

test('warnings raised before the commit are in the log and in the rebuilt answer', async () => {
  const { store, wiped } = forgetful();
  const { accept, edit, lastEvent } = openHarness({ store });
  await edit('note.md', 'just text\n');
  const sent = op('note.md', rule('x'));
  const first = await accept(sent);
  expect(first.validation.warnings).toHaveLength(1);
  expect((await lastEvent()).payload).toEqual({ warnings: first.validation.warnings });
  expect((await lastEvent()).action).toBe('replace');
  expect(await openHarness({ store: wiped }).accept(sent)).toEqual({ ...first, replay: true });
});

test('a key replays after any time, and after the state moved on', async () => {
  const clock = fixedClock();
  const { accept, text } = openHarness({ clock });
  await accept(op('a.md', rule('x')));
  const removal = del('a.md');
  const first = await accept(removal);
  clock.move(25 * 3600);
  expect(await accept(removal)).toEqual({ ...first, replay: true });
  await accept(op('a.md', rule('again')));
  expect(await accept(removal)).toEqual({ ...first, replay: true });
  expect(await text('a.md')).toBe(rule('again'));
});

test('deleting what is gone under a new key finds nothing', async () => {
  const { accept, code, lastEvent, text } = openHarness();
  await accept(op('a.md', rule('x')));
  await accept(del('a.md'));
  expect(await text('a.md')).toBeNull();
  expect(await lastEvent()).toMatchObject({ action: 'delete', after_hash: null });
  expect(await code(del('a.md'))).toBe('not_found');
});

test('an operation that changes nothing commits nothing and is remembered by the store', async () => {
  const { accept, code, snapshot } = openHarness();
  await accept(op('a.md', rule('x')));
  const before = await snapshot();
  const same = op('a.md', rule('x'));
  const response = await accept(same);
  expect(response).toMatchObject({ success: true, unchanged: true, committed_at: null, dry_run: false });
  expect(response).not.toHaveProperty('event_id');
  expect(await snapshot()).toBe(before);
  expect(await accept(same)).toEqual({ ...response, replay: true });
  expect(await code({ ...same, content: rule('y') })).toBe('idempotency_conflict');
});

test('a dry run that would change nothing says both and is not remembered', async () => {
  const { accept } = openHarness();
  await accept(op('a.md', rule('x')));
  const same = op('a.md', rule('x'), { dry_run: true });
  expect(await accept(same)).toMatchObject({ unchanged: true, dry_run: true, committed_at: null });
  expect((await accept({ ...same, content: rule('y'), dry_run: false })).event_id).toBeDefined();
});

test('an append-type document takes its own bytes again, and nothing longer', async () => {
  const { accept, code } = openHarness();
  await accept(op('t.md', thread('### turn 1\n')));
  expect(await accept(op('t.md', thread('### turn 1\n')))).toMatchObject({ unchanged: true });
  expect(await code(op('t.md', thread('### turn 1\n### turn 2\n')))).toBe('validation_failed');
});

test('a patch without effect still commits', async () => {
  const { accept, lastEvent, text } = openHarness();
  await accept(op('a.md', rule('x')));
  await accept(patch('a.md', {}));
  expect(await lastEvent()).toMatchObject({ action: 'patch', changed_fields: [] });
  await accept(patch('a.md', { name: 'r' }));
  const event = await lastEvent();
  expect(event.changed_fields).toEqual(['name']);
  expect(event.before_hash).toBe(event.after_hash);
  expect(await text('a.md')).toBe(rule('x'));
});

test('an unreadable idempotency store commits nothing', async () => {
  const { code } = openHarness({ adapt: store => ({ idempotency: failing(store.idempotency, 'get', new Error('disk')) }) });
  expect(await code(op('a.md', rule('x')))).toBe('internal_error');
});

test('a store that cannot record leaves a warning, and the log replays', async () => {
  const { accept, lastEvent } = openHarness({
    adapt: store => ({ idempotency: failing(store.idempotency, 'put', new Error('disk is full')) }),
  });
  const sent = op('a.md', rule('x'));
  const first = await accept(sent);
  expect(first.validation.warnings.join()).toContain('disk is full');
  expect((await lastEvent()).payload).toBeNull();
  const { replay, ...again } = await accept(sent);
  expect(replay).toBe(true);
  expect(again).toEqual({ ...first, validation: { ...first.validation, warnings: [] } });
});

test('a damaged record counts as none, and the log decides', async () => {
  const store = createMemoryStore();
  const { accept } = openHarness({ store });
  const sent = op('a.md', rule('x'));
  const first = await accept(sent);
  const damaged = {
    ...store,
    idempotency: { ...store.idempotency, get: async () => ({ request_hash: 'sha256:0', response: 'x', recorded_at: '' }) },
  };
  expect(await openHarness({ store: damaged }).accept(sent)).toEqual({ ...first, replay: true });
});

test('what a caller does to its answer changes no later replay', async () => {
  const { accept } = openHarness();
  const sent = op('a.md', rule('x'));
  const first = await accept(sent);
  (first as { path: string }).path = 'changed';
  expect((await accept(sent)).path).toBe('a.md');
});
