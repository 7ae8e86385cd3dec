import { expect, test } from 'vitest';
import { type FrontmatterMap, hasKey, type Value } from '#document';
import { checkPrimitive, composeRegistry, fieldKinds, isRegistryError, parseExtension, primitiveToExtension } from './index.ts';

/** Like a parsed document: no map has a prototype. */
function bare(value: unknown): Value {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value as Value;
  return Object.assign(
    Object.create(null) as Record<string, Value>,
    Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, bare(entry)])),
  );
}

const field = { id: 'starts_on', name: '予約日', kind: 'date', required: true };
const booking = (changes: object = {}): FrontmatterMap =>
  bare({
    type: 'primitive',
    title: 'Booking',
    description: 'A customer booking.',
    primitive_id: 'acme:booking',
    namespace: 'acme',
    version: 1,
    name: '顧客予約',
    language: 'ja',
    mutation: 'replace',
    portability: 'tenant_private',
    scopes: ['workspace'],
    fields: [field],
    ...changes,
  }) as FrontmatterMap;

test('a complete definition, authored in Japanese, has no issues', () => {
  const complete = booking({
    revision: 2,
    aliases: ['reservation'],
    capabilities: { create: ['acme.booking:create', 'acme:booking:create'] },
  });
  expect(checkPrimitive(complete)).toEqual([]);
});

test.each([...fieldKinds])('a field may be of the kind %s', kind => {
  expect(checkPrimitive(booking({ fields: [{ id: 'a', name: 'A', kind, ...(kind === 'enum' ? { values: ['x'] } : {}) }] }))).toEqual([]);
});

test.each<[string, string, object, RegExp]>([
  ['a prefix that is not the namespace', 'primitive_id', { primitive_id: 'other:booking' }, /must begin with its namespace: 'acme:…'/],
  ['an id that only begins like the namespace', 'primitive_id', { primitive_id: 'acmes:booking' }, /must begin with its namespace/],
  ['a list of ids', 'primitive_id', { primitive_id: ['acme:booking'] }, /single string, is a list/],
  ['a version of zero', 'version', { version: 0 }, /positive integer, is 0/],
  ['a version in quotes', 'version', { version: '1' }, /positive integer, is "1"/],
  ['a fractional version', 'version', { version: 1.5 }, /positive integer/],
  ['a negative revision', 'revision', { revision: -1 }, /positive integer/],
  ['a list of mutations', 'mutation', { mutation: ['replace'] }, /single string/],
  ['a list of classes', 'portability', { portability: ['structural'] }, /single string/],
  ['a blank name', 'name', { name: '   ' }, /non-empty string/],
  ['a scope outside a list', 'scopes', { scopes: 'workspace' }, /must be a list/],
  ['a repeated scope', 'scopes', { scopes: ['workspace', 'workspace'] }, /repeats "workspace"/],
  ['fields that are a map', 'fields', { fields: { id: 'a' } }, /must be a list of maps/],
  ['a field that is a string', 'fields', { fields: ['a'] }, /\[0\] must be a map/],
  ['a field without an id', 'fields', { fields: [{ name: 'A', kind: 'text' }] }, /\[0\] needs an 'id'/],
  ['a field id that is not symbolic', 'fields', { fields: [{ ...field, id: '予約日' }] }, /\[0\] needs an 'id' of ASCII/],
  ['the body as a field', 'fields', { fields: [{ ...field, id: '__body__' }] }, /needs an 'id'/],
  ['two fields of one id', 'fields', { fields: [field, { ...field, name: 'B' }] }, /repeats "starts_on"/],
  ['a field without a name', 'fields', { fields: [{ ...field, name: '' }] }, /non-empty 'name'/],
  [
    'a field of an unknown kind',
    'fields',
    { fields: [field, { ...field, id: 'b', kind: 'money' }] },
    /\[1\] needs a 'kind' out of string, text/,
  ],
  ['an enum without values', 'fields', { fields: [{ ...field, kind: 'enum' }] }, /needs 'values'/],
  ['an enum with repeated values', 'fields', { fields: [{ ...field, kind: 'enum', values: ['a', 'a'] }] }, /repeats "a"/],
  ['an enum value that is a map', 'fields', { fields: [{ ...field, kind: 'enum', values: [{}] }] }, /plain, non-empty values/],
  ['a required flag that is no flag', 'fields', { fields: [{ ...field, required: 'yes' }] }, /'required' that is neither/],
  ['a field pattern that cannot be used', 'fields', { fields: [{ ...field, pattern: '(' }] }, /'pattern' that cannot be used/],
  ['capabilities that are a list', 'capabilities', { capabilities: ['acme:create'] }, /must be a map/],
  ['capabilities of an action that are a string', 'capabilities', { capabilities: { create: 'acme:create' } }, /'create' must be a list/],
  ['an action without capabilities', 'capabilities', { capabilities: { create: [] } }, /at least one capability/],
  ['a capability without an action', 'capabilities', { capabilities: { create: ['acme'] } }, /no capability/],
  ['an action with a space', 'capabilities', { capabilities: { 'do it': ['acme:create'] } }, /no action name/],
  ['aliases that are a string', 'aliases', { aliases: 'reservation' }, /must be a list/],
  ['a repeated alias', 'aliases', { aliases: ['a', 'a'] }, /repeats "a"/],
  ['an unsafe alias', 'aliases', { aliases: ['../a'] }, /an alias is lowercase ASCII/],
])('%s is an issue of the field', (_name, key, changes, message) => {
  const issues = checkPrimitive(booking(changes));
  expect(issues).toEqual([{ field: key, issue: expect.stringMatching(message) }]);
});

test('an absent or empty key is left to the rule that requires it', () => {
  expect(checkPrimitive(booking({ version: null, scopes: [], name: '', aliases: null, fields: [] }))).toEqual([]);
  expect(checkPrimitive(bare({}) as FrontmatterMap)).toEqual([]);
});

test('definitions become an extension whose types and aliases resolve', () => {
  const visit = booking({
    primitive_id: 'acme:visit',
    version: 4,
    mutation: 'append',
    portability: 'resource_bound',
    aliases: ['appointment'],
    requires: { base: '^1.0.0' },
    capabilities: { create: ['acme.visit:create'] },
    fields: [
      { ...field, immutable: true, pattern: '^2' },
      { id: 'status', name: 'Status', kind: 'enum', values: ['open', 'done'] },
      { id: 'note', name: 'Note', kind: 'reference', must_exist: false },
      { id: 'line', name: 'Line', kind: 'resource_reference' },
      { id: 'key', name: 'Key', kind: 'secret_reference' },
    ],
  });
  const extension = parseExtension(primitiveToExtension([visit, booking()], 'acme', '1.2.0'), 'acme.json');
  expect(extension).toMatchObject({ id: 'acme', version: '1.2.0', requires: { base: '^1.0.0' }, aliases: { appointment: 'visit' } });
  expect(extension.definitions.map(({ qualified }) => qualified)).toEqual(['acme:booking', 'acme:visit']);
  expect(extension.definitions[1]).toMatchObject({
    version: 4,
    append_only: true,
    portability: 'resource_bound',
    required_fields: ['starts_on'],
    optional_fields: ['status', 'note', 'line', 'key'],
    enums: { status: ['open', 'done'] },
    patterns: { starts_on: '^2' },
    immutable_fields: ['starts_on'],
    references: { note: { must_exist: false }, line: { allowed_types: ['resource'] } },
    capabilities: { create: ['acme.visit:create'] },
    resource: { binds: ['line', 'key'] },
  });
  const base = parseExtension('{"registry":"base","version":"1.1.0","primitives":{}}', 'base.json');
  expect(composeRegistry({ extensions: [extension, base] }).resolve('appointment')?.qualified).toBe('acme:visit');
});

test('the text does not depend on the order of the documents', () => {
  const other = booking({ primitive_id: 'acme:room', aliases: ['chamber'] });
  expect(primitiveToExtension([booking(), other], 'acme', '1.0.0')).toBe(primitiveToExtension([other, booking()], 'acme', '1.0.0'));
});

test.each<[string, readonly FrontmatterMap[], RegExp]>([
  ['no document', [], /No primitive document of the namespace 'acme'/],
  [
    'a document of another namespace',
    [booking({ namespace: 'other', primitive_id: 'other:booking' })],
    /other:booking: belongs to "other", not to 'acme'/,
  ],
  ['an invalid document', [booking({ version: 0 })], /acme:booking: 'version' must be a positive integer/],
  ['an id that is a map', [booking({ primitive_id: {} })], /\(no primitive_id\): 'primitive_id' must be a single string/],
  ['a missing key', [bare({ primitive_id: 'acme:x' }) as FrontmatterMap], /acme:x: 'fields' is missing/],
  ['one id twice', [booking(), booking()], /'acme:booking' is defined by more than one document/],
  ['one alias twice', [booking({ aliases: ['x'] }), booking({ primitive_id: 'acme:b', aliases: ['x'] })], /'x' is an alias of/],
  [
    'two ranges for one extension',
    [booking({ requires: { base: '^1.0.0' } }), booking({ primitive_id: 'acme:b', requires: { base: '^2.0.0' } })],
    /agree on one range/,
  ],
  ['requirements that are a list', [booking({ requires: ['base'] })], /'requires' must be a map/],
  ['a reserved type name', [booking({ primitive_id: 'acme:event' })], /reserved for the contract itself/],
  ['an action no request has', [booking({ capabilities: { update: ['a:b'] } })], /not an action/],
])('%s cannot become an extension', (_name, documents, message) => {
  const compose = () => primitiveToExtension(documents, 'acme', '1.0.0');
  expect(compose).toThrow(message);
  try {
    compose();
  } catch (error) {
    expect(
      isRegistryError(error) && error.code === 'primitive_invalid' && hasKey(error.details, 'issues') && error.details.issues.length > 0,
    ).toBe(true);
  }
});

test('a reserved namespace cannot become an extension', () => {
  expect(() => primitiveToExtension([booking({ namespace: 'ssss', primitive_id: 'ssss:booking' })], 'ssss', '1.0.0')).toThrow(
    /'ssss' is reserved/,
  );
});
