import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isRegistryError, parseExtension, type RegistryErrorDetails } from './index.ts';

const valid = { registry: 'acme', version: '1.0.0', primitives: { booking: { portability: 'tenant_private' } } };
const withEntry = (entry: object): object => ({ ...valid, primitives: { booking: { portability: 'structural', ...entry } } });

function problems(json: string): RegistryErrorDetails['registry_invalid']['issues'] {
  try {
    parseExtension(json, 'acme.json');
  } catch (error) {
    if (isRegistryError(error) && error.code === 'registry_invalid') return error.details.issues;
    throw error;
  }
  return [];
}

test('an extension file becomes definitions with every key of §5.6', () => {
  const entry = {
    family: 'work',
    description: 'A booking.',
    version: 3,
    portability: 'resource_bound',
    append_only: true,
    lease_required: true,
    required_fields: ['customer'],
    optional_fields: ['note'],
    allow_empty: ['customer'],
    required_when: { 'status==confirmed': ['deposit'] },
    enums: { status: ['requested', 'confirmed', 1, true, null] },
    enums_when: { 'status==confirmed': { channel: ['desk'] } },
    patterns: { customer: '^\\p{L}+$' },
    immutable_fields: ['customer'],
    references: {
      room: {
        allowed_types: ['resource'],
        disallowed_types: ['task'],
        allowed_portability: ['structural'],
        must_exist: false,
        hash_field: 'room_hash',
      },
    },
    capabilities: { create: ['acme.booking:create', 'acme:booking:create'] },
    resource: { binds: ['number'], kind: 'phone', relation: 'routes_calls_to' },
    canonical_filename: 'BOOKING.md',
  };
  const extension = parseExtension(JSON.stringify({ ...valid, primitives: { booking: entry } }), 'acme.json');
  const [definition] = extension.definitions;
  const { description: _presentation, ...rules } = entry;
  expect(definition).toMatchObject({ ...rules, type: 'booking', namespace: 'acme', qualified: 'acme:booking', contract: false });
  expect(definition?.enums.constructor).toBeUndefined();
});

test('unset keys have their defaults', () => {
  const [definition] = parseExtension(JSON.stringify(valid), 'acme.json').definitions;
  expect(definition).toMatchObject({ version: 1, append_only: false, lease_required: false, required_fields: [], capabilities: {} });
});

test('the sample extension is accepted', () => {
  const source = new URL('../../examples/sample-vault/extensions/rental.json', import.meta.url);
  expect(parseExtension(readFileSync(source, 'utf8'), 'rental.json').definitions.map(({ qualified }) => qualified)).toEqual([
    'rental:bicycle',
    'rental:booking',
  ]);
});

test.each<[string, object, string, RegExp]>([
  ['a missing class', { ...valid, primitives: { booking: {} } }, 'primitives.booking', /lacks the key 'portability'/],
  [
    'an unknown class',
    withEntry({ portability: 'private' }),
    'primitives.booking.portability',
    /one of structural, resource_bound, tenant_private/,
  ],
  ['an unknown top-level key', { ...valid, alias: {} }, 'alias', /not a known key here; allowed: registry, version/],
  ['an unknown rule', withEntry({ require_fields: ['a'] }), 'primitives.booking.require_fields', /allowed: .*required_fields/],
  ['an inherited member name as a rule', withEntry({ constructor: 1 }), 'primitives.booking.constructor', /not a known key/],
  ['a missing version', { registry: 'acme', primitives: {} }, 'registry', /lacks the key 'version'/],
  ['a version that is not semver', { ...valid, version: '1.0' }, 'version', /semantic version like/],
  ['a range that is not semver', { ...valid, requires: { other: 'newest' } }, 'requires.other', /semver range/],
  ['an extension that requires itself', { ...valid, requires: { acme: '*' } }, 'requires.acme', /requires itself/],
  ['a list where a map belongs', { ...valid, primitives: [] }, 'primitives', /must be a map, is a list/],
  [
    'a string where a list belongs',
    withEntry({ required_fields: 'name' }),
    'primitives.booking.required_fields',
    /must be a list, is a string/,
  ],
  [
    'a number among field names',
    withEntry({ required_fields: [1] }),
    'primitives.booking.required_fields[0]',
    /must be a string, is a number/,
  ],
  ['a repeated field name', withEntry({ required_fields: ['a', 'a'] }), 'primitives.booking.required_fields[1]', /repeats "a"/],
  ['a string where a flag belongs', withEntry({ append_only: 'yes' }), 'primitives.booking.append_only', /true or false/],
  ['a version of a type that is no positive integer', withEntry({ version: 0 }), 'primitives.booking.version', /positive integer/],
  ['an enum without values', withEntry({ enums: { a: [] } }), 'primitives.booking.enums.a', /at least one value/],
  ['an enum value that is a map', withEntry({ enums: { a: [{}] } }), 'primitives.booking.enums.a[0]', /string, number, boolean or null/],
  [
    'a condition with spaces',
    withEntry({ required_when: { 'a == b': ['c'] } }),
    'primitives.booking.required_when.a == b',
    /without spaces/,
  ],
  ['a condition without an operator', withEntry({ required_when: { a: ['c'] } }), 'primitives.booking.required_when.a', /<field>==<value>/],
  ['a pattern that does not compile', withEntry({ patterns: { a: '(' } }), 'primitives.booking.patterns.a', /no usable pattern/],
  [
    'a pattern that cannot be matched in linear time',
    withEntry({ patterns: { a: '(?=b)' } }),
    'primitives.booking.patterns.a',
    /linear time/,
  ],
  ['the body as a field', withEntry({ required_fields: ['__body__'] }), 'primitives.booking.required_fields[0]', /not a frontmatter key/],
  [
    'an unknown key in a reference',
    withEntry({ references: { a: { types: ['rule'] } } }),
    'primitives.booking.references.a.types',
    /allowed: allowed_types/,
  ],
  [
    'an unknown action',
    withEntry({ capabilities: { update: ['a:b'] } }),
    'primitives.booking.capabilities.update',
    /not an action; allowed: create/,
  ],
  [
    'an empty list of capabilities',
    withEntry({ capabilities: { create: [] } }),
    'primitives.booking.capabilities.create',
    /at least one capability/,
  ],
  [
    'a capability without an action',
    withEntry({ capabilities: { create: ['acme'] } }),
    'primitives.booking.capabilities.create[0]',
    /scope:action/,
  ],
  ['a resource without binds', withEntry({ resource: { kind: 'x' } }), 'primitives.booking.resource', /lacks the key 'binds'/],
  [
    'an alias of a type that is not in the file',
    { ...valid, aliases: { appointment: 'visit' } },
    'aliases.appointment',
    /no type in this file/,
  ],
  ['an alias that is also a type of the file', { ...valid, aliases: { booking: 'booking' } }, 'aliases.booking', /also the name of a type/],
  ['an unsafe alias', { ...valid, aliases: { '../x': 'booking' } }, 'aliases.../x', /not a type name/],
  ['the namespace of the core', { ...valid, registry: 'ssss' }, 'registry', /reserved/],
  ['the scope of a capability as a namespace', { ...valid, registry: 'admin' }, 'registry', /reserved/],
  ['a namespace with capitals', { ...valid, registry: 'Acme' }, 'registry', /not a namespace/],
  ['a namespace of 65 signs', { ...valid, registry: 'a'.repeat(65) }, 'registry', /at most 64/],
])('%s is refused, naming the key', (_name, file, field, message) => {
  const issues = problems(JSON.stringify(file));
  expect(issues).toHaveLength(1);
  expect(issues[0]?.field).toBe(field);
  expect(issues[0]?.issue).toMatch(message);
  expect(issues[0]?.line).toBe(1);
});

test.each(['operation', 'patch', 'event', 'delete', 'lease', 'index'])("an extension may not name a type or alias '%s'", name => {
  const type = problems(JSON.stringify({ ...valid, primitives: { [name]: { portability: 'structural' } } }));
  expect(type.map(({ issue }) => issue)).toEqual([expect.stringMatching(/reserved for the contract itself/)]);
  const alias = problems(JSON.stringify({ ...valid, aliases: { [name]: 'booking' } }));
  expect(alias.map(({ issue }) => issue)).toEqual([expect.stringMatching(/reserved for the contract itself/)]);
});

test('every problem of a file is reported at once, each at its line and column', () => {
  const text =
    '{\n  "registry": "acme",\n  "version": 1,\n  "primitives": {\n    "a": { "portability": "structural", "enumz": {} }\n  }\n}\n';
  expect(problems(text)).toMatchObject([
    { field: 'version', line: 3, column: 3 },
    { field: 'primitives.a.enumz', line: 5, column: 41 },
  ]);
  expect(() => parseExtension(text, 'acme.json')).toThrow(/acme\.json:3:3: 'version' must be a string, is a number\.\n.*acme\.json:5:41/);
});

test.each([
  ['', /ends before/, 1, 1],
  ['{\n"a": 1,\n}', /key in double quotes/, 3, 1],
  ['{"a": 1, "a": 2}', /'a' stands twice/, 1, 10],
  ['{} x', /after the end/, 1, 4],
  ["{'a': 1}", /double quotes/, 1, 2],
  ['{"a": 01}', /expected ',' or '}'/, 1, 8],
  ['{"a": "\n"}', /control character/, 1, 7],
  ['['.repeat(70), /deeper than 64/, 1, 66],
  ['[1 2]', /expected ',' or '\]'/, 1, 4],
  ['{"a" 1}', /expected ':'/, 1, 6],
  ['{"a": nul}', /unexpected 'n'/, 1, 7],
  ['{"a":\n"\\ud800"}', /lone surrogate/, 2, 1],
])('%j is not JSON, and the message says where', (text, message, line, column) => {
  const [issue] = problems(text);
  expect(issue?.issue).toMatch(message);
  expect(issue).toMatchObject({ line, column });
});

test('a byte order mark before the JSON is no mistake', () => {
  expect(problems(`\uFEFF${JSON.stringify(valid)}`)).toEqual([]);
});

test('a file of long keys with many members below them is read at once', () => {
  const deep = `${`{"${'k'.repeat(20_000)}":`.repeat(50)}[${'1,'.repeat(20_000)}1]${'}'.repeat(50)}`;
  expect(problems(deep)[0]?.issue).toMatch(/registry/);
});
