import { expect, test } from 'vitest';
import { hashContent } from '#document';
import { del, op, openHarness, patch, rule, thread } from '../../test/kernel-model/kernel-harness.ts';

test('an expected version that differs refuses every document envelope, dry runs too', async () => {
  const { accept, code } = openHarness();
  await accept(op('a.md', rule('one')));
  const ifMatch = hashContent(rule('zero'));
  for (const envelope of [op('a.md', rule('two')), patch('a.md', { scope: 's' }), del('a.md'), op('a.md', rule('two'), { dry_run: true })])
    expect(await code(envelope, { ifMatch })).toBe('version_conflict');
  expect(await code(op('new.md', rule('x')), { ifMatch })).toBe('version_conflict');
});

test('the right expected version lets every document envelope pass', async () => {
  const { accept } = openHarness();
  await accept(op('a.md', rule('one')), { ifMatch: null });
  await accept(op('a.md', rule('two')), { ifMatch: hashContent(rule('one')) });
  await accept(patch('a.md', {}), { ifMatch: hashContent(rule('two')) });
  await accept(del('a.md'), { ifMatch: hashContent(rule('two')) });
});

test('null expects that nothing stands at the path', async () => {
  const { accept, code } = openHarness();
  await accept(op('a.md', rule('one')));
  expect(await code(op('a.md', rule('two')), { ifMatch: null })).toBe('version_conflict');
  expect(await code(op('a.md', rule('one')), { ifMatch: null })).toBe('version_conflict');
});

test('the expected version is not part of the request, so a retry after success replays', async () => {
  const { accept } = openHarness();
  await accept(op('a.md', rule('one')));
  const sent = op('a.md', rule('two'));
  await accept(sent, { ifMatch: hashContent(rule('one')) });
  expect((await accept(sent, { ifMatch: hashContent(rule('one')) })).replay).toBe(true);
});

test('the expected version is compared before `unchanged`', async () => {
  const { accept, code } = openHarness();
  await accept(op('a.md', rule('one')));
  expect(await code(op('a.md', rule('one')), { ifMatch: hashContent(rule('old')) })).toBe('version_conflict');
});

test('a hand edit survives all four changes without an expected version', async () => {
  const { accept, refuse, edit, text } = openHarness();
  await accept(op('a.md', rule('one\n')));
  await accept(op('t.md', thread('### turn 1\n')));
  await edit('a.md', rule('by hand\n'));
  await edit('t.md', thread('### turn 1\nby hand\n'));
  for (const envelope of [op('a.md', rule('two\n')), op('a.md', rule('by hand\n')), del('a.md')]) {
    const { error } = await refuse(envelope);
    expect(error.code).toBe('version_conflict');
    expect(error.message).toContain('sheaf adopt');
  }
  const patched = await accept(patch('a.md', { scope: 's' }));
  expect(patched.validation.warnings.join()).toContain('outside Sheaf');
  expect(await text('a.md')).toContain('by hand\n');
  const appended = await accept(patch('t.md', { __body__: '### turn 2\n' }));
  expect(appended.validation.warnings.join()).toContain('outside Sheaf');
  expect(await text('t.md')).toBe(thread('### turn 1\nby hand\n### turn 2\n'));
});

test('with the stored bytes as expected version all four proceed, and nothing is drifted afterwards', async () => {
  const { accept, edit } = openHarness();
  await accept(op('a.md', rule('one\n')));
  await edit('a.md', rule('by hand\n'));
  await accept(op('a.md', rule('two\n')), { ifMatch: hashContent(rule('by hand\n')) });
  await accept(op('a.md', rule('three\n')));
  await edit('a.md', rule('by hand\n'));
  expect((await accept(patch('a.md', {}), { ifMatch: hashContent(rule('by hand\n')) })).validation.warnings).toEqual([]);
  await edit('a.md', rule('again by hand\n'));
  await accept(del('a.md'), { ifMatch: hashContent(rule('again by hand\n')) });
});

test('a file that was removed or restored outside counts as drift', async () => {
  const { accept, code, edit } = openHarness();
  await accept(op('a.md', rule('one\n')));
  await edit('a.md', null);
  expect(await code(op('a.md', rule('two\n')))).toBe('version_conflict');
  expect(await code(del('a.md'))).toBe('not_found');
  await accept(op('a.md', rule('two\n')), { ifMatch: null });
  await accept(del('a.md'));
  await edit('a.md', rule('back\n'));
  expect(await code(op('a.md', rule('three\n')))).toBe('version_conflict');
});

test('a file the log never knew is not drifted', async () => {
  const { accept, edit } = openHarness();
  await edit('a.md', rule('by hand\n'));
  expect((await accept(op('a.md', rule('two\n')))).validation.warnings).toEqual([]);
});

test('an adopted hand edit is no longer drift', async () => {
  const { accept, edit, store } = openHarness();
  await accept(op('a.md', rule('one\n')));
  await edit('a.md', rule('by hand\n'));
  const after_hash = hashContent(rule('by hand\n'));
  await store.events.append({
    ...(await store.events.findByIdempotencyKey('ws-a', (await openHarness({ store }).lastEvent()).idempotency_key))!,
    event_id: 'adopted',
    idempotency_key: 'adopt-1',
    action: 'event',
    payload: { event_type: 'document_adopted', action: 'replace', primitive_id: 'ssss:rule', before_hash: null, after_hash },
  });
  await accept(op('a.md', rule('two\n')));
});
