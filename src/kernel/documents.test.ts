import { expect, test } from 'vitest';
import { hashContent } from '#document';
import { assistant, del, documentOf, memory, op, openHarness, patch, rule, thread } from '../../test/kernel-model/kernel-harness.ts';

const asset = (fields: string): string => documentOf('asset', `name: a\nmime_type: text/plain\n${fields}`, '');
const resource = documentOf('resource', 'name: r\nkind: storage\nstatus: bound\n', '');

test('a patch merges shallowly and leaves every other byte', async () => {
  const { accept, text } = openHarness();
  await accept(op('a.md', documentOf('rule', 'name: r # keep\nm:\n  a: 1\nx_foo: bar\n', 'body\n')));
  await accept(patch('a.md', { m: { b: 2 } }));
  expect(await text('a.md')).toBe(documentOf('rule', 'name: r # keep\nm:\n  b: 2\nx_foo: bar\n', 'body\n'));
});

test('a patch of a Windows file adds one line in the file’s own endings', async () => {
  const { edit, accept, text } = openHarness();
  const stored = `---\r\ntype: rule # t\r\ntitle: "T"\r\ndescription: 'D'\r\ntimestamp: 2026-01-01T00:00:00Z\r\nname: r\r\nzip: 07885\r\n---\r\n\r\n\r\nbody`;
  await edit('a.md', stored);
  await accept(patch('a.md', { z: 1 }));
  expect(await text('a.md')).toBe(stored.replace('zip: 07885\r\n', 'zip: 07885\r\nz: 1\r\n'));
});

test('a patched value survives whatever it looks like', async () => {
  const { accept, code, text } = openHarness();
  await accept(op('a.md', assistant));
  expect(await code(patch('a.md', { 'x: 1\ntype': 'rule' }))).toBe('invalid_request');
  await accept(patch('a.md', { 'a: b': 1, s: 'x\n---\ny', m: [[{ a: 1 }], [2]] }));
  const stored = (await text('a.md')) ?? '';
  expect(stored).toContain('"a: b": 1');
  expect(stored.endsWith('---\n## Instructions\n')).toBe(true);
  expect(stored).toMatch(/^type: assistant$/m);
});

test('a body replaces or is appended according to the type', async () => {
  const { accept, text } = openHarness();
  await accept(op('a.md', rule('old\n')));
  await accept(patch('a.md', { __body__: 'new' }));
  expect(await text('a.md')).toBe(rule('new'));
  await accept(op('t.md', thread('### turn 1')));
  await accept(patch('t.md', { __body__: '### turn 2' }));
  expect(await text('t.md')).toBe(thread('### turn 1\n### turn 2'));
});

test.each([
  ['another type', patch('a.md', { type: 'skill' })],
  ['no type', patch('a.md', { type: null })],
  ['a removed required value', patch('a.md', { name: null })],
  ['the body as a nested key', patch('a.md', { m: { __body__: 'x' } })],
  ['a replaced type', op('a.md', documentOf('skill', 'name: s\n', ''))],
  ['no frontmatter', op('a.md', 'prose\n')],
  ['prose above the frontmatter', op('a.md', `prose\n${rule('x')}`)],
  ['no type at all', op('a.md', '---\ntitle: T\n---\n')],
  ['an unknown type', op('a.md', documentOf('nope', '', ''))],
  ['a key twice', op('a.md', documentOf('rule', 'name: r\ntype: rule\n', ''))],
  ['an inherited document', op('a.md', '---\n__proto__:\n  type: rule\n  name: r\n---\n')],
  ['the body key in frontmatter', op('a.md', documentOf('rule', 'name: r\n__body__: x\n', ''))],
  ['an asserted other type', op('a.md', rule('y'), { primitive_type: 'skill' })],
  ['an asserted unknown type', op('a.md', rule('y'), { primitive_type: 'nope' })],
])('%s is refused and names a field', async (_what, envelope) => {
  const { accept, refuse } = openHarness();
  await accept(op('a.md', rule('x')));
  const { error, repair } = await refuse(envelope);
  expect(error.code).toBe('validation_failed');
  expect(repair.field_errors.length).toBeGreaterThan(0);
  for (const { field } of repair.field_errors) expect(field).not.toBe('');
});

test('the bare and the qualified spelling are one type', async () => {
  const { accept, lastEvent } = openHarness();
  await accept(op('a.md', rule('x')));
  await accept(op('a.md', rule('x').replace('type: rule', 'type: ssss:rule')));
  expect((await lastEvent()).primitive_id).toBe('ssss:rule');
});

test('an immutable field holds against patch and operation', async () => {
  const { accept, code } = openHarness();
  const badge = (id: string) => documentOf('field:badge', `badge_id: ${id}\n`, '');
  await accept(op('b.md', badge('one')));
  expect(await code(op('b.md', badge('two')))).toBe('validation_failed');
  expect(await code(patch('b.md', { badge_id: 'two' }))).toBe('validation_failed');
  await accept(patch('b.md', { badge_id: 'one', title: 'New' }));
});

test('an append-type document is never deleted or rewritten', async () => {
  const { accept, code } = openHarness();
  await accept(op('t.md', thread('### turn 1\n')));
  expect(await code(del('t.md'))).toBe('validation_failed');
  expect(await code(op('t.md', thread('')))).toBe('validation_failed');
});

test('an index is plain Markdown under rights of its own', async () => {
  const { accept, code, events, text } = openHarness();
  for (const path of ['index.md', 'a/b/index.md']) {
    await accept(op(path, '# One\n'));
    expect(await code(patch(path, { title: 'x' }))).toBe('validation_failed');
    expect(await code(op(path, rule('x')))).toBe('validation_failed');
    await accept(patch(path, { __body__: '# Two\n' }));
    expect(await text(path)).toBe('# Two\n');
    await accept(del(path));
  }
  expect((await events()).map(event => event.primitive_id)).toEqual(Array(6).fill('ssss:index'));
  expect(await code(del('index.md'))).toBe('not_found');
  expect(await code(patch('index.md', { __body__: 'x' }))).toBe('not_found');
});

test('a pointer asset needs its place and a class that keeps it', async () => {
  const { accept, code } = openHarness();
  expect(await code(op('p.md', asset('encoding: none\nx_portability: resource_bound\n')))).toBe('validation_failed');
  expect(await code(op('p.md', asset('encoding: none\nstorage_uri: s3://b/k\n')))).toBe('validation_failed');
  expect(await code(op('p.md', asset('encoding: [none]\n')))).toBe('validation_failed');
  await accept(op('p.md', asset('encoding: none\nstorage_uri: s3://b/k\nx_portability: resource_bound\n')));
});

test('a reference must name a stored document of an allowed type', async () => {
  const { accept, code, edit } = openHarness();
  const pointing = op('p.md', asset('encoding: utf-8\nresource_ref: res/r.md\n'), { idempotency_key: 'ref' });
  expect(await code(pointing)).toBe('validation_failed');
  await accept(op('res/r.md', rule('x')));
  expect(await code(pointing)).toBe('validation_failed');
  await accept(del('res/r.md'));
  await accept(op('res/r.md', resource));
  await accept(pointing);
  await edit('res/bad.md', null);
  expect(await code(op('q.md', asset('encoding: utf-8\nresource_ref: ../r.md\n')))).toBe('validation_failed');
});

test('ordinary Markdown is adopted by an operation with a warning, and by nothing else', async () => {
  const { edit, accept, code } = openHarness();
  await edit('note.md', 'just text\n');
  await edit('bad.md', '---\nk: "\n---\n');
  for (const path of ['note.md', 'bad.md']) {
    expect(await code(patch(path, { a: 1 }))).toBe('validation_failed');
    expect(await code(del(path))).toBe('validation_failed');
    expect((await accept(op(path, rule('x')))).validation.warnings).toHaveLength(1);
  }
});

test('bytes that are not UTF-8 are unreadable state', async () => {
  const { store, code } = openHarness();
  await store.vfs.writeAtomic('a.md', Uint8Array.of(0x2d, 0xff), { ifAbsent: true });
  for (const envelope of [op('a.md', rule('x')), patch('a.md', {}), del('a.md')]) expect(await code(envelope)).toBe('internal_error');
});

const conflicted = '---\ntype: memory\n<<<<<<< HEAD\nstatus: active\n=======\nstatus: archived\n>>>>>>> other\n---\n';

test('an unresolved merge is buried by nobody who did not see it', async () => {
  const { edit, accept, refuse, code } = openHarness();
  await edit('m.md', conflicted);
  for (const envelope of [op('m.md', memory('status: active\n')), patch('m.md', { status: 'x' }), del('m.md')]) {
    const { error, repair } = await refuse(envelope);
    expect(error.code).toBe('validation_failed');
    expect(repair.field_errors[0]).toMatchObject({ field: 'frontmatter', line: 3 });
  }
  const ifMatch = hashContent(conflicted);
  expect(await code(patch('m.md', { status: 'x' }), { ifMatch })).toBe('validation_failed');
  expect(await code(del('m.md'), { ifMatch })).toBe('validation_failed');
  expect(await code(op('m.md', memory('status: active\n')), { ifMatch: hashContent('other') })).toBe('validation_failed');
  await accept(op('m.md', memory('status: active\n')), { ifMatch });
});

test('a write does not bring conflict markers in, but code may show them', async () => {
  const { accept, code } = openHarness();
  const markers = '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n';
  expect(await code(op('a.md', rule(markers)))).toBe('validation_failed');
  await accept(op('a.md', rule(`\`\`\`\n${markers}\`\`\`\n`)));
  expect(await code(patch('a.md', { __body__: markers }))).toBe('validation_failed');
});

test('a second spelling of a path is refused where the first exists', async () => {
  const { accept, refuse } = openHarness();
  await accept(op('rules/Team.md', rule('x')));
  const { error } = await refuse(op('rules/team.md', rule('y')));
  expect(error.code).toBe('invalid_request');
  expect(error.message).toContain('rules/Team.md');
});

test('a directory and a file in the way are refused', async () => {
  const { accept, code } = openHarness();
  await accept(op('a.md/b.md', rule('x')));
  expect(await code(op('a.md', rule('x')))).toBe('invalid_request');
  expect(await code(op('a.md/b.md/c.md', rule('x')))).toBe('invalid_request');
});

test('a stored document of an unknown type stays as it is, and the refusal names a way out that works', async () => {
  const { edit, refuse, text } = openHarness();
  const stored = documentOf('gone', '', 'text\n');
  await edit('a.md', stored);
  for (const envelope of [patch('a.md', { x: 1 }), del('a.md')])
    expect((await refuse(envelope)).error.message).toMatch(/load the extension that defines it, or correct the type in an editor/);
  expect(await refuse(op('a.md', rule('x')))).toMatchObject({ error: { code: 'validation_failed' } });
  expect(await text('a.md')).toBe(stored);
});
