import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  composeRegistry,
  describeRegistry,
  effectivePortability,
  loadCoreRegistry,
  parseExtension,
  registryLock,
  verifyRegistryLock,
} from './index.ts';

const extension = (registry: string, rest: object = {}, version = '1.0.0') =>
  parseExtension(
    JSON.stringify({ registry, version, primitives: { [`${registry}_note`]: { portability: 'structural' } }, ...rest }),
    `${registry}.json`,
  );
const types = (...names: string[]) => ({ primitives: Object.fromEntries(names.map(name => [name, { portability: 'structural' }])) });

test('an extension type resolves bare, qualified and by its alias, bare and qualified', () => {
  const registry = composeRegistry({ extensions: [extension('acme', { ...types('booking'), aliases: { reservation: 'booking' } })] });
  for (const name of ['booking', 'acme:booking', 'reservation', 'acme:reservation'])
    expect(registry.resolve(name)?.qualified).toBe('acme:booking');
  expect(registry.aliases).toEqual({ reservation: 'acme:booking' });
  expect(describeRegistry(registry).document_types.at(-1)?.aliases).toEqual(['reservation']);
});

test('core types are listed first, extensions in their load order', () => {
  const registry = composeRegistry({ extensions: [extension('b'), extension('a')] });
  expect(registry.documentTypes.slice(20).map(({ qualified }) => qualified)).toEqual(['b:b_note', 'a:a_note']);
});

test.each([
  ['a core type', [extension('acme', types('rule'))], 'rule', /the core type 'rule'.*extension 'acme' \(acme\.json\)/],
  [
    'a sibling’s type',
    [extension('a', types('booking')), extension('b', types('booking'))],
    'booking',
    /extension 'a' \(a\.json\).*extension 'b' \(b\.json\)/,
  ],
  [
    'a core type by an alias',
    [extension('acme', { aliases: { memory: 'acme_note' } })],
    'memory',
    /the alias 'memory'.*the core type 'memory'/,
  ],
  [
    'a sibling’s alias',
    [extension('a', { aliases: { x: 'a_note' } }), extension('b', { aliases: { x: 'b_note' } })],
    'x',
    /extension 'a'.*extension 'b'/,
  ],
  [
    'a sibling’s alias by a type',
    [extension('a', { aliases: { x: 'a_note' } }), extension('b', types('x'))],
    'x',
    /the alias 'x' of extension 'a'.*the type 'x' of extension 'b'/,
  ],
  ['a namespace', [extension('a', types('x')), extension('a', types('y'))], 'a:', /namespace 'a' is claimed twice/],
] as const)('two claims on %s are refused, naming both sides, in every load order', (_name, extensions, name, message) => {
  for (const order of [extensions, extensions.toReversed()]) {
    expect(() => composeRegistry({ extensions: order })).toThrow(
      expect.objectContaining({ code: 'registry_collision', message: expect.stringMatching(message) }),
    );
    expect(() => composeRegistry({ extensions: order })).toThrow(expect.objectContaining({ details: expect.objectContaining({ name }) }));
  }
});

test.each([
  ['^1.2.0', '1.2.0', true],
  ['^1.2.0', '1.9.9', true],
  ['^1.2.0', '1.1.9', false],
  ['^1.2.0', '2.0.0', false],
  ['^0.2.0', '0.2.5', true],
  ['^0.2.0', '0.3.0', false],
  ['~1.2.3', '1.2.9', true],
  ['~1.2.3', '1.3.0', false],
  ['>=1.0.0 <2.0.0', '1.5.0', true],
  ['1.x || 3.x', '3.1.0', true],
  ['^1.2.0', '1.3.0-beta.1', false],
  ['^1.3.0-alpha', '1.3.0-beta.1', true],
  ['*', '9.9.9', true],
  ['1.2.3', '1.2.4', false],
])('requiring %s of version %s: %s', (range, version, ok) => {
  const extensions = [extension('user', { requires: { base: range } }), extension('base', {}, version)];
  const compose = () => composeRegistry({ extensions });
  if (ok) expect(compose().extensions[0]?.requires).toEqual({ base: range });
  else
    expect(compose).toThrow(
      expect.objectContaining({ code: 'registry_requirement', message: expect.stringContaining(`'base' ${version} is loaded`) }),
    );
});

test('a requirement that is not loaded is refused, naming who asks for what', () => {
  const compose = () => composeRegistry({ extensions: [extension('user', { requires: { base: '^1.0.0' } })] });
  expect(compose).toThrow(/Extension 'user' 1\.0\.0 \(user\.json\) requires 'base' \^1\.0\.0, but 'base' is not loaded/);
});

test('an extension may require a version of the standard', () => {
  expect(() => composeRegistry({ extensions: [extension('user', { requires: { ssss: '^0.9.0' } })] })).not.toThrow();
  expect(() => composeRegistry({ extensions: [extension('user', { requires: { ssss: '^0.8.0' } })] })).toThrow(/'ssss' 0\.9\.0 is loaded/);
});

test('extensions that require each other load, in either order, with one digest', () => {
  const a = extension('a', { requires: { b: '^1.0.0' } });
  const b = extension('b', { requires: { a: '^1.0.0' } });
  expect(composeRegistry({ extensions: [a, b] }).digest).toBe(composeRegistry({ extensions: [b, a] }).digest);
});

test('a reference rule that names an unknown type is refused', () => {
  const bad = (rule: object) => extension('acme', { primitives: { booking: { portability: 'structural', references: { room: rule } } } });
  expect(() => composeRegistry({ extensions: [bad({ disallowed_types: ['secert'] })] })).toThrow(
    /references\.room\.disallowed_types' names 'secert'/,
  );
  expect(() => composeRegistry({ extensions: [bad({ allowed_types: ['other:room'] })] })).toThrow(/no loaded type/);
  expect(() => composeRegistry({ extensions: [bad({ allowed_types: ['ssss:resource', 'booking'] })] })).not.toThrow();
});

test('the digest depends on every rule and on no order', () => {
  const extensions = ['a', 'b', 'c', 'd'].map(id => extension(id));
  const { digest } = composeRegistry({ extensions });
  const shuffled = fc.shuffledSubarray(extensions, { minLength: 4 });
  fc.assert(
    fc.property(shuffled, order => composeRegistry({ extensions: order }).digest === digest),
    { numRuns: 30 },
  );
  const changed = [
    extension('a', { primitives: { a_note: { portability: 'structural', enums: { x: ['1'] } } } }),
    extension('a', { primitives: { a_note: { portability: 'tenant_private' } } }),
    extension('a', { aliases: { alias: 'a_note' } }),
    extension('a', { requires: { b: '*' } }),
    extension('a', {}, '1.0.1'),
  ].map(other => composeRegistry({ extensions: [other, ...extensions.slice(1)] }).digest);
  expect(new Set([digest, ...changed]).size).toBe(changed.length + 1);
});

test('the core alone composes to one digest, however it is loaded', () => {
  expect(loadCoreRegistry().digest).toBe(composeRegistry({ extensions: [] }).digest);
  expect(loadCoreRegistry().digest).toMatch(/^sha256:[0-9a-f]{64}$/);
});

test('the order of keys inside a file does not matter to the digest', () => {
  const one = parseExtension(
    '{"registry":"a","version":"1.0.0","primitives":{"x":{"portability":"structural"},"y":{"portability":"structural"}}}',
    'a',
  );
  const two = parseExtension(
    '{"primitives":{"y":{"portability":"structural"},"x":{"portability":"structural"}},"version":"1.0.0","registry":"a"}',
    'a',
  );
  expect(composeRegistry({ extensions: [one] }).digest).toBe(composeRegistry({ extensions: [two] }).digest);
});

test('a lock verifies the registry it was made from, in any load order', () => {
  const [a, b] = [extension('a'), extension('b')];
  const lock = registryLock(composeRegistry({ extensions: [a, b] }));
  expect(lock).toBe(registryLock(composeRegistry({ extensions: [b, a] })));
  expect(() => verifyRegistryLock(composeRegistry({ extensions: [b, a] }), lock)).not.toThrow();
});

test.each([
  [
    'a changed rule',
    [extension('a', { primitives: { a_note: { portability: 'structural', enums: { x: ['1'] } } } })],
    /'a' 1\.0\.0 has other contents under the same version/,
  ],
  ['a changed version', [extension('a', {}, '1.0.1')], /'a' was 1\.0\.0 and is 1\.0\.1/],
  ['a removed extension', [], /'a' is no longer loaded/],
  ['an added extension', [extension('a'), extension('b')], /'b' was not loaded/],
] as const)('%s is drift, and the message says what changed', (_name, extensions, message) => {
  const lock = registryLock(composeRegistry({ extensions: [extension('a')] }));
  expect(() => verifyRegistryLock(composeRegistry({ extensions }), lock)).toThrow(
    expect.objectContaining({ code: 'registry_drift', message: expect.stringMatching(message) }),
  );
});

test.each([
  ['{', /not usable/],
  ['{"lock_version":2}', /must be 1/],
  ['{"lock_version":1,"spec_version":"0.9","digest":"abc","extensions":[]}', /64 hexadecimal digits/],
])('an unreadable lock %s is an error of its own, never a pass', (lock, message) => {
  expect(() => verifyRegistryLock(loadCoreRegistry(), lock, 'lock.json')).toThrow(
    expect.objectContaining({ code: 'registry_invalid', message: expect.stringMatching(message) }),
  );
});

test('a lock that pins other core types says so', () => {
  const lock = registryLock(loadCoreRegistry()).replace(/sha256:[0-9a-f]{64}/, `sha256:${'0'.repeat(64)}`);
  expect(() => verifyRegistryLock(loadCoreRegistry(), lock)).toThrow(/the core types differ/);
});

test('the most restrictive class wins, and anything that is no class is ignored', () => {
  const core = loadCoreRegistry();
  const effective = (type: string, override: string | null | readonly string[]) =>
    effectivePortability(core.resolve(type)!, { x_portability: override });
  expect(effective('rule', 'tenant_private')).toBe('tenant_private');
  expect(effective('rule', 'resource_bound')).toBe('resource_bound');
  expect(effective('task', 'structural')).toBe('tenant_private');
  expect(effective('resource', 'structural')).toBe('resource_bound');
  for (const ignored of ['Tenant_Private', 'private', '', null, ['tenant_private']]) expect(effective('rule', ignored)).toBe('structural');
  expect(effectivePortability(core.resolve('rule')!, {})).toBe('structural');
});
