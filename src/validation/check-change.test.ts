import { expect, test } from 'vitest';
import { createDocument, parseDocument, patchDocument } from '#document';
import { composeRegistry, parseExtension } from '#registry';
import { checkChange, checkIndexContent } from './index.ts';

const extension = {
  registry: 'acme',
  version: '1.0.0',
  aliases: { reservation: 'booking' },
  primitives: {
    booking: { portability: 'structural', immutable_fields: ['ref', 'tags'] },
    ledger: { portability: 'structural', append_only: true, immutable_fields: ['account'] },
  },
};
const registry = composeRegistry({ extensions: [parseExtension(JSON.stringify(extension), 'acme.json')] });
const universal = { title: 'T', description: 'D', timestamp: '2026-05-16T14:00:00Z' };
type Fields = Readonly<Record<string, unknown>>;
const text = (data: Fields, body = 'Body.\n'): string => createDocument({ ...data, ...universal }, body);

const replace = (before: string, after: string) =>
  checkChange({ before: parseDocument(before), after: parseDocument(after), patchedKeys: null, registry });
function patch(before: string, patches: Fields, body: 'replace' | 'append' = 'replace') {
  const parsed = parseDocument(before);
  if (parsed.kind !== 'document') throw new Error('no document');
  const after = { kind: 'document', document: patchDocument(parsed.document, patches, body) } as const;
  return checkChange({ before: parsed, after, patchedKeys: Object.keys(patches), registry });
}

test('no envelope changes a type, whichever way it is spelled', () => {
  const rule = text({ type: 'rule', name: 'n' });
  expect(replace(rule, text({ type: 'skill', name: 'n' }))).toEqual([
    { field: 'type', line: 2, issue: expect.stringMatching(/cannot turn a 'ssss:rule' into a 'ssss:skill'/) },
  ]);
  expect(patch(rule, { type: 'skill' })).toMatchObject([{ field: 'type' }]);
  expect(patch(rule, { type: 'nope' })).toMatchObject([{ field: 'type' }]);
  expect(replace(text({ type: 'role', name: 'n' }), text({ type: 'security_role', name: 'n' }))).toMatchObject([{ field: 'type' }]);
  expect(replace(text({ type: 'thread' }), text({ type: 'conversation' }))).toMatchObject([{ field: 'type' }]);
});

test('switching between the spellings of one type is no change of type', () => {
  expect(replace(text({ type: 'rule', name: 'n' }), text({ type: 'ssss:rule', name: 'n' }))).toEqual([]);
  expect(patch(text({ type: 'acme:booking' }), { type: 'reservation' })).toEqual([]);
  expect(patch(text({ type: 'reservation' }), { type: 'booking' })).toEqual([]);
});

test('a stored type that no loaded registry knows cannot be turned into another', () => {
  expect(replace(text({ type: 'lost:ledger' }), text({ type: 'rule', name: 'n' }))).toMatchObject([{ field: 'type' }]);
  expect(replace(text({ type: 'lost:ledger' }), text({ type: 'lost:ledger', a: 1 }))).toEqual([]);
});

test('immutable fields keep their value under patch and operation', () => {
  const booking = text({ type: 'booking', ref: 'K1', tags: ['a', { b: 1 }] });
  expect(patch(booking, { ref: 'K2' })).toEqual([
    { field: 'ref', line: 3, issue: expect.stringMatching(/'ref' of a 'booking' is immutable: it is 'K1' and cannot become 'K2'/) },
  ]);
  expect(patch(booking, { ref: null })).toMatchObject([{ field: 'ref' }]);
  expect(patch(booking, { tags: ['a', { b: 2 }] })).toMatchObject([{ field: 'tags' }]);
  expect(replace(booking, text({ type: 'booking', ref: 'K2', tags: ['a', { b: 1 }] }))).toMatchObject([{ field: 'ref' }]);
  expect(replace(booking, text({ type: 'booking', tags: ['a', { b: 1 }] }))).toMatchObject([
    { field: 'ref', issue: expect.stringContaining('cannot be removed') },
  ]);
});

test('an immutable field may be written again with an equal value, and set once', () => {
  const booking = text({ type: 'booking', ref: 'K1' });
  expect(patch(booking, { ref: 'K1', tags: ['a'] })).toEqual([]);
  expect(replace(booking, text({ type: 'acme:booking', tags: [], ref: 'K1' }, 'Other body.\n'))).toEqual([]);
  expect(patch(text({ type: 'booking', ref: '1' }), { ref: 1 })).toMatchObject([{ field: 'ref' }]);
});

test('primitive_id and namespace of a primitive never change', () => {
  const primitive = text({ type: 'primitive', primitive_id: 'acme:a', namespace: 'acme' });
  expect(patch(primitive, { primitive_id: 'acme:b' })).toMatchObject([{ field: 'primitive_id' }]);
  expect(patch(primitive, { namespace: 'other' })).toMatchObject([{ field: 'namespace' }]);
});

test('an append-type document cannot be replaced, not even by a longer one, except by its own bytes', () => {
  const thread = text({ type: 'thread', thread_id: 't' }, '### turn 1 — user — x\nHello.\n');
  expect(replace(thread, thread)).toEqual([]);
  expect(replace(thread, `${thread}### turn 2 — user — y\nMore.\n`)).toEqual([
    { field: 'body', line: 8, issue: expect.stringMatching(/append-only and cannot be replaced.*__body__/) },
  ]);
  expect(replace(thread, text({ type: 'thread', thread_id: 't', status: 'closed' }))).toMatchObject([{ field: 'body' }]);
  expect(replace(text({ type: 'ledger' }), text({ type: 'ledger', a: 1 }))).toMatchObject([{ field: 'body' }]);
});

test('an append-type document grows by patch, and its frontmatter may move', () => {
  const run = text({ type: 'run', run_id: 'r', workflow_id: 'w', status: 'queued' }, '### step 1 — a — x — ok\nDone.\n');
  expect(patch(run, { status: 'running' }, 'append')).toEqual([]);
  expect(patch(run, { __body__: '### step 2 — b — y — ok\nDone.\n' }, 'append')).toEqual([]);
  expect(patch(run, { __body__: 'Rewritten.\n' }, 'replace')).toEqual([
    expect.objectContaining({ field: 'body', issue: expect.stringContaining('must stay as they are') }),
  ]);
  expect(patch(text({ type: 'ledger', account: 'A' }), { account: 'B', __body__: 'x' }, 'append')).toMatchObject([{ field: 'account' }]);
});

test('files that are no documents are left to validation', () => {
  const rule = text({ type: 'rule', name: 'n' });
  expect(replace('# Readme\n', rule)).toEqual([]);
  expect(replace('---\na: 1\na: 2\n---\n', rule)).toEqual([]);
  expect(replace(rule, '# Readme\n')).toEqual([]);
  expect(replace(text({ title: 'untyped' }), rule)).toEqual([]);
});

test.each(['', '# Contents\n', 'text\n---\ntype: rule\n---\n', '---\nnever closed\n'])('an index.md may hold %j', content => {
  expect(checkIndexContent(content)).toEqual([]);
});

test.each(['---\ntype: rule\n---\n', '---\n---\n# Contents\n', '---\na: 1\na: 2\n---\n', '\uFEFF---\r\ntype: task\r\n---\r\n'])(
  'an index.md with frontmatter %j is refused',
  content => {
    expect(checkIndexContent(content)).toEqual([{ field: 'frontmatter', line: 1, issue: expect.stringContaining('no frontmatter') }]);
  },
);
