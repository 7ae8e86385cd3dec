import { expect, test } from 'vitest';
import { createDocument, parseDocument } from '#document';
import { loadCoreRegistry } from '#registry';
import { validateDocument } from './index.ts';

const registry = loadCoreRegistry();
const universal = { title: 'T', description: 'D', timestamp: '2026-05-16T14:00:00Z' };

function warnings(data: Readonly<Record<string, unknown>>, body = '') {
  const verdict = validateDocument(parseDocument(createDocument({ ...universal, name: 'n', ...data }, body)), registry, () => null);
  expect(verdict.errors).toEqual([]);
  expect(verdict.valid).toBe(true);
  return verdict.warnings;
}

test('an ordinary document has no warnings', () => {
  expect(
    warnings({ type: 'rule', tags: ['a'], confidence: 0.5, x_portability: 'tenant_private', language: 'ja' }, '# Rule\n\nBody.\n'),
  ).toEqual([]);
});

test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
  ['title', { type: 'rule', title: 5 }, /should be a string, but is 5/],
  ['tags', { type: 'rule', tags: 'a' }, /should be a list of strings, but is 'a'/],
  ['tags', { type: 'rule', tags: ['a', 1] }, /should be a list of strings, but is a list/],
  ['relations', { type: 'rule', relations: 'x' }, /should be a list/],
  ['confidence', { type: 'rule', confidence: 1.5 }, /should be at most 1/],
  ['confidence', { type: 'rule', confidence: 'high' }, /should be a number/],
  ['priority', { type: 'task', category: 'c', status: 'done', priority: 'high' }, /should be an integer/],
  ['priority', { type: 'task', category: 'c', status: 'done', priority: 1.5 }, /should be an integer/],
  ['attempts', { type: 'task', category: 'c', status: 'done', priority: 1, attempts: -1 }, /should be at least 0/],
  ['permissions', { type: 'role', permissions: 'ssss:*' }, /should be a list of strings/],
  ['permissions', { type: 'role', permissions: ['ssss:*', 'everything'] }, /'everything' is no capability and grants nothing/],
  ['binds', { type: 'resource', kind: 'db', status: 'bound', binds: 'x' }, /should be a map/],
  ['isActive', { type: 'workflow', isActive: 'yes' }, /should be a boolean/],
  ['triggers', { type: 'workflow', triggers: ['daily'] }, /should be a list of maps/],
  [
    'triggers',
    { type: 'workflow', triggers: [{ type: 'weekly' }] },
    /Entry 1 of 'triggers'.*'type' is 'weekly'\. Use one of: manual, cron/,
  ],
  ['triggers', { type: 'workflow', triggers: [{ cron: '* * * * *' }] }, /'type' is missing/],
  ['triggers', { type: 'workflow', triggers: [{ type: 'cron', misfire_policy: 'retry' }] }, /'misfire_policy' is 'retry'/],
  ['triggers', { type: 'workflow', triggers: [{ type: 'cron', concurrency: 'one' }] }, /'concurrency' is 'one'/],
  ['timestamp', { type: 'rule', timestamp: 'yesterday' }, /ISO 8601/],
  ['x_portability', { type: 'rule', x_portability: 'Tenant_Private' }, /is ignored: 'Tenant_Private' is no class/],
  ['x_portability', { type: 'rule', x_portability: ['tenant_private'] }, /is ignored: a list is no class/],
  [
    'x_portability',
    { type: 'task', category: 'c', status: 'done', priority: 1, x_portability: 'structural' },
    /no effect: the type 'task' is tenant_private/,
  ],
  ['locale', { type: 'rule', locale: 'ja' }, /deprecated; write the tag as 'language'/],
  ['category', { type: 'memory', slug: 'a', category: 'invariants', status: 'active', schema_version: 1 }, /priority: absolute/],
])('%s: %j is accepted with a warning', (field, data, message) => {
  expect(warnings(data)).toEqual([{ field, issue: expect.stringMatching(message), line: expect.any(Number) }]);
});

test('pre-0.9 permissions are no mistakes', () => {
  expect(warnings({ type: 'role', permissions: ['write:*', 'write:rule', '*:rule', '*:*', 'ssss:rule:*'] })).toEqual([]);
});

test('a null says nothing about the kind of a field', () => {
  expect(warnings({ type: 'rule', tags: null, confidence: null })).toEqual([]);
});

test('text in the body of a pointer asset is a warning at the body', () => {
  const pointer = { type: 'asset', mime_type: 'video/mp4', encoding: 'none', storage_uri: 's3://b/a', x_portability: 'resource_bound' };
  expect(warnings(pointer, '\n')).toEqual([]);
  expect(warnings(pointer, 'text\n')).toEqual([expect.objectContaining({ field: 'body', issue: expect.stringContaining('empty body') })]);
});

test('an action no request has is a warning of a primitive document', () => {
  const primitive = {
    type: 'primitive',
    primitive_id: 'acme:a',
    namespace: 'acme',
    version: 1,
    mutation: 'replace',
    portability: 'structural',
    scopes: ['workspace'],
    fields: [{ id: 'a', name: 'A', kind: 'text' }],
  };
  expect(warnings({ ...primitive, capabilities: { create: ['acme:create'], read: ['acme:read'] } })).toEqual([]);
  expect(warnings({ ...primitive, capabilities: { update: ['acme:update'] } })).toEqual([
    expect.objectContaining({ field: 'capabilities', issue: expect.stringContaining("'update'") }),
  ]);
});

test('a second block that looks like frontmatter is accepted with one warning', () => {
  const body = '---\ntype: rule\ntitle: Old\n---\n\nBody.\n';
  expect(warnings({ type: 'rule' }, body)).toEqual([
    expect.objectContaining({ field: 'body', issue: expect.stringContaining('frontmatter') }),
  ]);
});
