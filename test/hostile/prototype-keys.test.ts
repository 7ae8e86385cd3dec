import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { openVault } from '#open-vault';
import { code, codeOf, del, evt, memoryVault, op, patch, person, rule, send, type Vault, withDiskVault } from './hostile-vault.ts';

const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  '__lookupSetter__',
  'isPrototypeOf',
] as const;

const shapeOf = (prototype: object): string =>
  JSON.stringify(Reflect.ownKeys(prototype).map(key => [String(key), typeof Object.getOwnPropertyDescriptor(prototype, key)?.value]));
const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype] as const;
let before: readonly string[] = [];
beforeAll(() => {
  before = prototypes.map(shapeOf);
});
afterEach(() => {
  expect(prototypes.map(shapeOf)).toEqual(before);
  expect({}).not.toHaveProperty('polluted');
});

/** JSON in which the name is an own member, as it is in whatever arrives over a wire. */
const withName = (name: string, value = '{"polluted":true}'): object => JSON.parse(`{${JSON.stringify(name)}:${value}}`) as object;

/** What a reader of the vault gets, as JSON. */
const ownText = (value: unknown): string => JSON.stringify(value);

test.each(names)('%s is an ordinary key in frontmatter, at any depth, and in patches', async name => {
  const vault = await memoryVault();
  expect(await code(vault, op('a.md', rule('x\n', `${name}: {polluted: true}\nx_deep: {${name}: [{${name}: 1}]}\n`)))).toBe('ok');
  expect(await code(vault, patch('a.md', withName(name, '{"polluted":2}')))).toBe('ok');
  expect(await code(vault, patch('a.md', { x_more: withName(name) }))).toBe('ok');
  const text = (await vault.read('a.md'))?.text ?? '';
  expect(text).toContain(`\n${name}:`);
  expect(text.match(new RegExp(name, 'g'))).toHaveLength(4);
  expect(text).toContain('polluted: 2');
});

test.each(names)('%s is an ordinary member of a payload, in memory and in the log on disk', async name => {
  const payload = `{${JSON.stringify(name)}:{"polluted":true},"list":[{${JSON.stringify(name)}:1}]}`;
  const check = async (vault: Vault): Promise<void> => {
    expect(await code(vault, evt('shop/door', payload))).toBe('ok');
    for await (const { event } of vault.events()) expect(ownText(event.payload)).toBe(payload);
  };
  await check(await memoryVault());
  await withDiskVault(check);
});

test.each(names)('%s names a type, a path, a key, a lease and a workspace like any other word', async name => {
  await withDiskVault(async vault => {
    expect(await code(vault, op('a.md', rule('x\n').replace('type: rule', `type: ${name}`)))).toBe('validation_failed');
    expect(await code(vault, op('a.md', rule('x\n').replace('type: rule', `type: ssss:${name}`)))).toBe('validation_failed');
    expect(await code(vault, op('a.md', rule('x\n'), { primitive_type: name }))).toBe('validation_failed');
    expect(await code(vault, op('a.md', rule('x\n'), { workspace_id: name }))).toBe('forbidden');
    const path = `${name}/${name}.md`;
    const first = op(path, rule('x\n'), { idempotency_key: name, operation_id: name });
    expect(await code(vault, first)).toBe('ok');
    expect(await send(vault, first)).toMatchObject({ success: true, replay: true });
    expect(await code(vault, op(path, rule('y\n'), { idempotency_key: name }))).toBe('idempotency_conflict');
    expect(await code(vault, op(path, rule('y\n'), { lease_id: name, operation_id: name }))).toBe('lease_conflict');
    expect(await code(vault, del(path))).toBe('ok');
  });
});

test.each(names)('what an envelope or a principal only inherits through %s counts for nothing', async name => {
  const vault = await memoryVault();
  const envelope = JSON.stringify(op('a.md', rule('x\n')));
  expect(await code(vault, withName(name, envelope))).toBe('invalid_request');
  expect(await code(vault, { ...(JSON.parse(envelope) as object), ...withName(name) })).toBe('ok');
  const inherits = withName(name, JSON.stringify(person));
  expect(codeOf(await vault.execute(JSON.parse(envelope), { principal: inherits as never }))).toBe('unauthorized');
  const bare = { ...person, id: 'agent:x', kind: 'agent' as const, capabilities: [name] };
  expect(codeOf(await vault.execute(op('b.md', rule('x\n')), { principal: bare }))).toBe('forbidden');
});

test('an envelope whose prototype carries its members is refused', async () => {
  const vault = await memoryVault();
  expect(await code(vault, Object.create(op('a.md', rule('x\n')) as object))).toBe('invalid_request');
});

const configured: readonly (readonly [file: string, text: (name: string) => string])[] = [
  [
    'workspace.json',
    name => `{"workspace_id":"ws-a","spec_version":"0.9","created_at":"2026-01-01T00:00:00Z","extensions":[],"${name}":{}}`,
  ],
  ['policy.json', name => `{"${name}":{"polluted":true}}`],
  ['extensions/field.json', name => `{"registry":"field","version":"1.0.0","primitives":{},"${name}":{}}`],
  [
    'extensions/field.json',
    name => `{"registry":"field","version":"1.0.0","primitives":{"label":{"portability":"structural","${name}":1}}}`,
  ],
];

test.each(configured)('an unknown member of %s is refused by its name, also when every object has one', async (file, text) => {
  for (const name of names) {
    await withDiskVault(async (_, root, base) => {
      const place = join(root, '.ssss', file);
      if (file.startsWith('extensions/')) {
        const workspace = join(root, '.ssss', 'workspace.json');
        writeFileSync(workspace, readFileSync(workspace, 'utf8').replace('"extensions": []', '"extensions": ["field"]'));
      }
      writeFileSync(place, text(name));
      await expect(openVault({ root, stateDir: join(base, 'state') })).rejects.toThrow(name);
    });
  }
});

test.each(names)('an extension may use %s as a field without giving or taking anything', async name => {
  const label = (fields: string): string =>
    `---\ntype: field:label\ntitle: T\ndescription: D\ntimestamp: 2026-01-01T00:00:00Z\n${fields}---\n`;
  const rules = {
    portability: 'structural',
    required_fields: [name],
    enums: withName(name, '["a","b"]'),
    patterns: withName(name, '"^[ab]$"'),
  };
  const vault = await memoryVault({ extensions: [{ registry: 'field', version: '1.0.0', primitives: { label: rules } }] });
  expect(await code(vault, op('a.md', label('')))).toBe('validation_failed');
  expect(await code(vault, op('a.md', label(`${name}: c\n`)))).toBe('validation_failed');
  expect(await code(vault, op('a.md', label(`${name}: a\n`)))).toBe('ok');
});
