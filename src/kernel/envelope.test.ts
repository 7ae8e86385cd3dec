import { expect, test } from 'vitest';
import { VaultError } from '#errors';
import { readEnvelope } from './envelope.ts';

const base = { workspace_id: 'ws-a', idempotency_key: 'k', path: 'a.md' };
const operation = { ...base, type: 'operation', content: 'text' };
const patch = { ...base, type: 'patch', patches: { a: 1 } };

const blamed = (input: unknown): readonly string[] => {
  try {
    readEnvelope(input);
  } catch (error) {
    expect(error).toBeInstanceOf(VaultError);
    expect((error as VaultError).code).toBe('invalid_request');
    return ((error as VaultError).details.issues ?? []).map(issue => issue.field);
  }
  return [];
};

test.each([null, undefined, 'x', 7, true, [], [operation]])('%j is no envelope', input => {
  expect(blamed(input)).toEqual(['envelope']);
});

test('every malformed member is named at once', () => {
  expect(blamed({})).toEqual(['type', 'workspace_id', 'idempotency_key', 'path']);
  expect(blamed({ ...operation, dry_run: 'yes', intent: 3, lease_id: 4 })).toEqual(['lease_id', 'dry_run', 'intent']);
});

test.each([
  ['type', { ...operation, type: 'OPERATION' }],
  ['type', { ...operation, type: 'constructor' }],
  ['workspace_id', { ...operation, workspace_id: '' }],
  ['idempotency_key', { ...operation, idempotency_key: 5 }],
  ['path', { ...operation, path: '' }],
  ['path', { ...operation, path: null }],
  ['content', { ...operation, content: null }],
  ['content', { ...operation, content: { type: 'rule' } }],
  ['content', { ...base, type: 'event', content: null }],
  ['content', { ...base, type: 'event', content: '{x' }],
  ['content', { ...base, type: 'event', content: '' }],
  ['content', { ...base, type: 'event', content: '1e999' }],
  ['content', { ...base, type: 'event', content: '"\\ud800"' }],
  ['patches', { ...patch, patches: null }],
  ['patches', { ...patch, patches: [] }],
  ['patches', { ...base, type: 'patch' }],
  ['patches', { ...patch, patches: { '': 1 } }],
  ['patches', { ...patch, patches: { 'x: 1\ntype': 'rule' } }],
  ['patches', { ...patch, patches: { 'a\u2028b': 1 } }],
  ['patches.m', { ...patch, patches: { m: { 'a\nb': 1 } } }],
  ['patches.__body__', { ...patch, patches: { __body__: null } }],
  ['patches.__body__', { ...patch, patches: { __body__: ['x'] } }],
  ['patches.n', { ...patch, patches: { n: 2 ** 53 } }],
  ['patches.n', { ...patch, patches: { n: 1e300 } }],
  ['patches.n', { ...patch, patches: { n: Number.NaN } }],
  ['patches.n', { ...patch, patches: { n: Number.POSITIVE_INFINITY } }],
  ['patches.l[1]', { ...patch, patches: { l: [1, undefined] } }],
  ['patches.s', { ...patch, patches: { s: '\ud800' } }],
  ['patches', { ...patch, patches: { '\udc00': 1 } }],
  ['patches.timestamp', { ...patch, patches: { timestamp: new Date(0) } }],
  ['patches.m', { ...patch, patches: { m: new Map([['a', 1]]) } }],
  ['primitive_type', { ...operation, primitive_type: '' }],
  ['primitive_type', { ...base, type: 'event', primitive_type: 3 }],
  ['operation_id', { ...operation, operation_id: {} }],
  ['lease_id', { ...operation, lease_id: false }],
  ['dry_run', { ...operation, dry_run: 1 }],
  ['intent', { ...operation, intent: ['why'] }],
  ['content', { ...operation, content: 'a\ud800' }],
  ['workspace_id', { ...operation, workspace_id: '\udfff' }],
] as const)('%s is refused where it is malformed (%#)', (field, input) => {
  expect(blamed(input)).toEqual([field]);
});

test('a patch nested deeper than a document may be is refused, also when it is circular', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 80; level++) deep = { a: deep };
  expect(blamed({ ...patch, patches: { deep } })).toHaveLength(1);
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  expect(blamed({ ...patch, patches: circular })).toHaveLength(1);
});

test('null in optional and unused members means absent', () => {
  const optional = { primitive_type: null, operation_id: null, lease_id: null, intent: null, dry_run: null };
  expect(readEnvelope({ ...operation, patches: null, ...optional })).toEqual(readEnvelope(operation));
  expect(readEnvelope({ ...patch, content: null, ...optional })).toEqual(readEnvelope(patch));
  const removal = { ...base, type: 'delete' };
  expect(readEnvelope({ ...removal, content: null, patches: null })).toEqual(readEnvelope(removal));
});

test('identity-bearing and unknown members never reach the kernel', () => {
  const read = readEnvelope({ ...operation, actor: { role: 'system' }, principal: { id: 'root' }, user: 'root', action: 'replace' });
  expect(read).toEqual(readEnvelope(operation));
});

test('patch keys are data: prototype names and colons are ordinary', () => {
  const patches = JSON.parse('{"__proto__": {"type": "rule"}, "constructor": 1, "a: b": 2}') as object;
  const read = readEnvelope({ ...patch, patches });
  expect(Object.keys(read.patches ?? {})).toEqual(['__proto__', 'constructor', 'a: b']);
  expect(Object.getPrototypeOf(read.patches)).toBeNull();
});

test('an envelope is the kernel’s own copy', () => {
  const patches = { list: [{ a: 1 }] };
  const read = readEnvelope({ ...patch, patches });
  patches.list[0]!.a = 2;
  expect(read.patches).toEqual({ list: [{ a: 1 }] });
});

test.each([
  ['{"a":[1,null]}', { a: [1, null] }],
  ['0', 0],
  ['false', false],
  ['""', ''],
  ['null', null],
])('the payload of an event is its parsed content: %s', (content, payload) => {
  expect(readEnvelope({ ...base, type: 'event', content }).payload).toEqual(payload);
});

test('an event without content has a null payload', () => {
  expect(readEnvelope({ ...base, type: 'event' }).payload).toBeNull();
});
