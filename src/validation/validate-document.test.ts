import { expect, test } from 'vitest';
import { createDocument, hashContent, parseDocument } from '#document';
import { composeRegistry, loadCoreRegistry, parseExtension, type Registry } from '#registry';
import { type ReferencedSnapshot, referencedPaths, snapshotOf, type Verdict, validateDocument } from './index.ts';

const core = loadCoreRegistry();
const nothing = () => null;
const universal = { title: 'T', description: 'D', timestamp: '2026-05-16T14:00:00Z' };

/** A minimal valid document of every core type. */
const minimal: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  memory: { slug: 'a', category: 'facts', status: 'active', schema_version: 1 },
  skill: { name: 'n' },
  asset: { name: 'n', mime_type: 'image/png', encoding: 'base64' },
  resource: { name: 'n', kind: 'postgres', status: 'bound' },
  rule: { name: 'n' },
  role: { name: 'n', permissions: ['write:event'] },
  security_role: { name: 'n', permissions: ['write:event'] },
  task: { priority: 1, category: 'c', status: 'pending' },
  assistant: { name: 'n' },
  workflow: { name: 'n' },
  trigger: { name: 'n', source: 'manual', status: 'active' },
  model: { model_id: 'm', provider: 'p' },
  thread: { thread_id: 't' },
  conversation: { thread_id: 't' },
  run: { run_id: 'r', workflow_id: 'w' },
  conflict: { conflict_id: 'c', status: 'pending', new_slug: 'a', existing_slug: 'b', detected_at: '2026-05-16T14:00:00Z' },
  page: { slug: 's', name: 'n', sandbox_entry: 'index.html' },
  migration: { migration_id: 'm', from_version: 1, to_version: 2, status: 'pending' },
  release: { release_id: 'r', version: '1.0.0', schema_version: 1, summary: 's', released_at: '2026-05-16T14:00:00Z' },
  primitive: {
    primitive_id: 'acme:booking',
    namespace: 'acme',
    version: 1,
    name: 'n',
    mutation: 'replace',
    portability: 'structural',
    scopes: ['workspace'],
    fields: [{ id: 'a', name: 'A', kind: 'text' }],
  },
};

type Fields = Readonly<Record<string, unknown>>;
const textOf = (type: string, changes: Fields = {}, body = ''): string =>
  createDocument({ type, ...universal, ...minimal[type], ...changes }, body);
const validate = (text: string, registry: Registry = core, lookup: (path: string) => ReferencedSnapshot | null = nothing): Verdict =>
  validateDocument(parseDocument(text), registry, lookup);
const check = (type: string, changes: Fields = {}, registry?: Registry, lookup?: (path: string) => ReferencedSnapshot | null): Verdict =>
  validate(textOf(type, changes), registry, lookup);
const without = (type: string, field: string): string => {
  const data: Record<string, unknown> = { type, ...universal, ...minimal[type] };
  delete data[field];
  return createDocument(data, '');
};
const fields = (verdict: Verdict): readonly string[] => verdict.errors.map(({ field }) => field);

test('a minimal document of every core type is valid, under its bare and its qualified name', () => {
  expect(Object.keys(minimal)).toEqual(core.documentTypes.map(({ type }) => type));
  for (const type of Object.keys(minimal)) {
    expect(check(type)).toMatchObject({ valid: true, errors: [], type: `ssss:${type}`, definition: { type } });
    expect(check(type, { type: `ssss:${type}` })).toMatchObject({ valid: true, type: `ssss:${type}` });
  }
});

test('each universal and each required field of every type, removed or emptied, is the one error', () => {
  for (const { type, required_fields } of core.documentTypes) {
    for (const field of [...core.universalFields, ...required_fields]) {
      const removed = validate(without(type, field));
      expect([type, field, fields(removed)]).toEqual([type, field, expect.arrayContaining([field])]);
      expect(removed.valid).toBe(false);
      if (field === 'type') continue;
      expect(fields(removed)).toEqual([field]);
      for (const empty of [null, '', []])
        expect([type, field, fields(check(type, { [field]: empty }))]).toEqual([type, field, expect.arrayContaining([field])]);
    }
  }
});

test('messages name the field, the place and the remedy', () => {
  const [missing] = validate(without('rule', 'name')).errors;
  expect(missing).toEqual({
    field: 'name',
    line: 1,
    issue: expect.stringMatching(/^Missing required field 'name'\. Add it to the frontmatter: the type 'rule' requires it/),
  });
  const [empty] = validate('---\ntype: rule\ntitle: T\nname:\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\n---\n').errors;
  expect(empty).toMatchObject({ field: 'name', line: 4, issue: expect.stringContaining('is empty') });
  expect(check('task', { status: null }).errors.find(({ issue }) => issue.includes('is empty'))?.issue).toContain(
    'allowed: pending, in_progress, done, failed',
  );
});

test('zero, false, an empty map and blanks are values; null, "" and [] are not', () => {
  for (const value of [0, false, {}, '  ']) expect(check('task', { priority: value, category: value }).errors).toEqual([]);
  for (const value of [null, '', []]) expect(fields(check('task', { priority: value }))).toContain('priority');
});

test.each([
  ['---\ntitle: T\ndescription: D\ntimestamp: x\n---\n', /Missing required field 'type'.*Use one of: asset, assistant/],
  [textOf('nope'), /Unknown type 'nope'\. Use one of: .*workflow/],
  [textOf('event'), /'event' is a structure of the contract/],
  [textOf('ssss:patch'), /structure of the contract/],
  [textOf('constructor'), /Unknown type 'constructor'/],
  ['---\ntype:\ntitle: T\ndescription: D\ntimestamp: x\n---\n', /'type' is empty/],
  ['---\ntype: [rule]\ntitle: T\ndescription: D\ntimestamp: x\n---\n', /must be a string, but is a list/],
  ['---\ntype: 5\ntitle: T\ndescription: D\ntimestamp: x\n---\n', /must be a string, but is 5/],
])('%j has no usable type', (text, message) => {
  const verdict = validate(text);
  expect(verdict).toMatchObject({ valid: false, type: null, definition: null });
  expect(verdict.errors.filter(({ field }) => field === 'type').map(({ issue }) => issue)).toEqual([expect.stringMatching(message)]);
});

test.each(['', '# Readme\n', 'prose\n---\ntype: rule\n---\n', '```\n---\ntype: rule\n---\n```\n', '---\ntype: rule\n'])(
  '%j has no frontmatter, and the field is type',
  text => {
    expect(validate(text)).toMatchObject({
      valid: false,
      type: null,
      errors: [{ field: 'type', line: 1, issue: expect.stringContaining('---') }],
    });
  },
);

test('frontmatter that cannot be read is reported where it breaks', () => {
  const verdict = validate('---\ntype: rule\ntype: rule\ntitle: T\n---\n');
  expect(verdict.valid).toBe(false);
  expect(verdict.errors[0]?.line).toBe(3);
});

test('unknown keys never fail a document', () => {
  expect(check('rule', { x_foo: 1, zzz: { a: [1] }, constructor: 'x' }).valid).toBe(true);
});

test('the body’s patch key can be no frontmatter key, at any depth', () => {
  const text = '---\ntype: rule\ntitle: T\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\nname: n\nm:\n  list:\n    - __body__: x\n---\n';
  expect(validate(text).valid).toBe(false);
  expect(validate(text.replace(/m:\n.*\n.*\n/, '__body__: x\n')).valid).toBe(false);
});

test('required_when holds by spelling: numbers, quoted numbers and list elements alike', () => {
  const graph = ['confidence', 'importance', 'modality', 'subject', 'predicate', 'object', 'sentiment_polarity'];
  for (const schema_version of [2, '2', [2], ['1', 2]])
    expect(fields(check('memory', { schema_version })).toSorted()).toEqual(graph.toSorted());
  for (const schema_version of [1, 3, '2 ', true, [[2]], { a: 2 }]) expect(check('memory', { schema_version }).errors).toEqual([]);
  const complete = {
    schema_version: 2,
    confidence: 0,
    importance: 1,
    modality: 'must',
    subject: 's',
    predicate: 'p',
    object: 'o',
    sentiment_polarity: 'descriptive',
  };
  expect(check('memory', complete).errors).toEqual([]);
  expect(fields(check('memory', { ...complete, object: '' }))).toEqual(['object']);
});

test('a pointer asset needs its address and a class that keeps it at home', () => {
  const storage_uri = 's3://bucket/a';
  expect(fields(check('asset', { encoding: 'none' })).toSorted()).toEqual(['storage_uri', 'x_portability']);
  expect(fields(check('asset', { encoding: ['none'] })).toSorted()).toEqual(['storage_uri', 'x_portability']);
  expect(fields(check('asset', { encoding: 'none', x_portability: 'resource_bound' }))).toEqual(['storage_uri']);
  expect(fields(check('asset', { encoding: 'none', storage_uri, x_portability: 'structural' }))).toEqual(['x_portability']);
  for (const x_portability of ['resource_bound', 'tenant_private'])
    expect(check('asset', { encoding: 'none', storage_uri, x_portability }).errors).toEqual([]);
  expect(check('asset', { x_portability: 'structural' }).errors).toEqual([]);
});

test('enums compare strictly, list elements one by one, and say what is allowed', () => {
  expect(check('run', { status: 'done' }).errors).toEqual([
    { field: 'status', line: 8, issue: expect.stringMatching(/does not allow 'done'\. Use one of: queued, claimed, running/) },
  ]);
  expect(check('run', { status: ['queued', 'running'] }).errors).toEqual([]);
  expect(check('run', { status: ['queued', 'gone', 'lost'] }).errors).toHaveLength(2);
  expect(check('run', { status: [] }).errors).toEqual([]);
  for (const status of ['Queued', true, 0, null, ['queued', ['running']]]) expect(fields(check('run', { status }))).toEqual(['status']);
});

test('a primitive document also keeps the meta-schema', () => {
  const broken = {
    version: 0,
    fields: [{ id: '予約日', name: 'A', kind: 'text' }],
    aliases: ['a', 'a'],
    capabilities: { create: 'x' },
    scopes: ['workspace', 'workspace'],
  };
  expect(fields(check('primitive', broken)).toSorted()).toEqual(['aliases', 'capabilities', 'fields', 'scopes', 'version']);
  expect(fields(check('primitive', { primitive_id: 'other:booking' }))).toEqual(['primitive_id']);
  expect(fields(check('primitive', { primitive_id: 'Acme:Booking' }))).toContain('primitive_id');
  expect(fields(check('primitive', { mutation: 'sometimes', portability: 'public', scopes: ['planet'] })).toSorted()).toEqual([
    'mutation',
    'portability',
    'scopes',
  ]);
  expect(fields(check('primitive', { namespace: 'A', primitive_id: 'A:b' })).toSorted()).toEqual(['namespace', 'primitive_id']);
  expect(fields(check('primitive', { language: 'not a tag' }))).toEqual(['language']);
  expect(check('primitive', { revision: 3, language: 'es-MX', aliases: ['reservation'] }).errors).toEqual([]);
});

const acme = (entry: object): Registry =>
  composeRegistry({
    extensions: [
      parseExtension(
        JSON.stringify({
          registry: 'acme',
          version: '1.0.0',
          aliases: { reservation: 'booking' },
          primitives: { booking: { portability: 'structural', ...entry } },
        }),
        'acme.json',
      ),
    ],
  });

test.each<[string, object, Fields, Fields, string]>([
  ['required_fields', { required_fields: ['customer'] }, { customer: 'c' }, {}, 'customer'],
  ['allow_empty', { required_fields: ['extras'], allow_empty: ['extras'] }, { extras: [] }, { extras: '' }, 'extras'],
  ['required_when', { required_when: { 'status==paid': ['sum'] } }, { status: 'open' }, { status: 'paid' }, 'sum'],
  ['enums', { enums: { status: ['open', 2] } }, { status: 2 }, { status: '2' }, 'status'],
  ['enums on lists', { enums: { tags: ['a', 'b'] } }, { tags: ['a', 'b'] }, { tags: ['a', 'c'] }, 'tags'],
  [
    'enums_when',
    { enums_when: { 'kind==vip': { room: ['suite'] } } },
    { kind: 'vip', room: 'suite' },
    { kind: 'vip', room: 'attic' },
    'room',
  ],
  ['patterns', { patterns: { customer: '^\\p{L}+$' } }, { customer: '顧客' }, { customer: 'c3' }, 'customer'],
  ['patterns, unanchored', { patterns: { customer: 'b' } }, { customer: 'abc' }, { customer: 'ac' }, 'customer'],
  ['patterns on lists', { patterns: { codes: '^K' } }, { codes: ['K1', 'K2'] }, { codes: ['K1', 'X'] }, 'codes'],
  ['patterns on no strings', { patterns: { code: '^1' } }, { code: '1' }, { code: 1 }, 'code'],
  ['references', { references: { room: {} } }, { room: 'r/a.md' }, { room: 'r/none.md' }, 'room'],
  ['references in lists', { references: { room: {} } }, { room: ['r/a.md', 't/a.md'] }, { room: ['r/a.md', 'r/none.md'] }, 'room'],
  ['references to unsafe paths', { references: { room: {} } }, { room: 'r/a.md' }, { room: '../a.md' }, 'room'],
  ['references that are absolute', { references: { room: {} } }, { room: 'r/a.md' }, { room: '/r/a.md' }, 'room'],
  ['references that are no strings', { references: { room: {} } }, { room: [] }, { room: 5 }, 'room'],
  ['must_exist: false', { references: { room: { must_exist: false } } }, { room: 'r/none.md' }, { room: 'a//b.md' }, 'room'],
  ['allowed_types', { references: { room: { allowed_types: ['resource'] } } }, { room: 'r/a.md' }, { room: 't/a.md' }, 'room'],
  [
    'allowed_types, qualified',
    { references: { room: { allowed_types: ['ssss:task', 'reservation'] } } },
    { room: 't/a.md' },
    { room: 'r/a.md' },
    'room',
  ],
  [
    'allowed_types and ordinary files',
    { references: { room: { allowed_types: ['resource'] } } },
    { room: 'r/a.md' },
    { room: 'README.md' },
    'room',
  ],
  ['disallowed_types', { references: { room: { disallowed_types: ['task'] } } }, { room: 'README.md' }, { room: 't/a.md' }, 'room'],
  [
    'allowed_portability',
    { references: { room: { allowed_portability: ['structural'] } } },
    { room: 'rules/a.md' },
    { room: 'rules/private.md' },
    'room',
  ],
  [
    'hash_field',
    { references: { room: { hash_field: 'pin' } } },
    { room: 'r/a.md', pin: hashContent(textOf('resource')) },
    { room: 'r/a.md', pin: 'sha256:0' },
    'pin',
  ],
  ['an absent hash_field', { references: { room: { hash_field: 'pin' } } }, {}, { room: 'r/a.md' }, 'pin'],
])('%s: one document passes, one fails', (_key, entry, good, bad, field) => {
  const vault: Readonly<Record<string, string>> = {
    'r/a.md': textOf('resource'),
    't/a.md': textOf('task'),
    'rules/a.md': textOf('rule'),
    'rules/private.md': textOf('rule', { x_portability: 'tenant_private' }),
    'README.md': '# Readme\n',
  };
  const registry = acme(entry);
  const lookup = (path: string): ReferencedSnapshot | null => {
    const text = vault[path];
    return text === undefined ? null : snapshotOf(parseDocument(text), hashContent(text), registry);
  };
  for (const type of ['booking', 'acme:booking', 'reservation', 'acme:reservation']) {
    expect(validate(createDocument({ type, ...universal, ...good }, ''), registry, lookup)).toMatchObject({
      errors: [],
      type: 'acme:booking',
    });
    expect(fields(validate(createDocument({ type, ...universal, ...bad }, ''), registry, lookup))).toEqual([field]);
  }
});

test('a list of references is pinned element by element', () => {
  const registry = acme({ references: { rooms: { hash_field: 'pins' } } });
  const lookup = (path: string): ReferencedSnapshot => ({ type: null, portability: null, hash: `sha256:${path}` });
  const verdict = (pins: unknown) =>
    validate(createDocument({ type: 'booking', ...universal, rooms: ['a.md', 'b.md'], pins }, ''), registry, lookup);
  expect(verdict(['sha256:a.md', 'sha256:b.md']).errors).toEqual([]);
  expect(verdict(['sha256:b.md', 'sha256:a.md']).errors).toHaveLength(2);
  expect(verdict(['sha256:a.md']).errors).toHaveLength(1);
});

test('resource_ref of an asset must name an existing resource', () => {
  const resource: ReferencedSnapshot = { type: 'ssss:resource', portability: 'resource_bound', hash: 'h' };
  const withRef = (target: ReferencedSnapshot | null) => check('asset', { resource_ref: 'resources/a.md' }, core, () => target);
  expect(withRef(resource).errors).toEqual([]);
  expect(withRef(null).errors).toEqual([
    expect.objectContaining({ field: 'resource_ref', issue: expect.stringContaining('does not exist') }),
  ]);
  expect(withRef({ ...resource, type: 'ssss:rule' }).errors).toEqual([
    expect.objectContaining({ issue: expect.stringContaining("which is a 'ssss:rule'. Refer to one of: ssss:resource") }),
  ]);
});

test('the paths a verdict depends on are the safe ones, each once, sorted', () => {
  const registry = acme({ references: { a: {}, b: {} } });
  const paths = (data: Fields) => referencedPaths(parseDocument(createDocument({ type: 'booking', ...universal, ...data }, '')), registry);
  expect(paths({ a: ['z.md', 'b.md', '../x.md', 5], b: 'b.md', c: 'c.md' })).toEqual(['b.md', 'z.md']);
  expect(paths({})).toEqual([]);
  expect(referencedPaths(parseDocument('# Readme\n'), registry)).toEqual([]);
});

test('a snapshot carries the qualified type and the effective class', () => {
  const snapshot = (text: string) => snapshotOf(parseDocument(text), 'h', core);
  expect(snapshot(textOf('rule', { x_portability: 'tenant_private' }))).toEqual({
    type: 'ssss:rule',
    portability: 'tenant_private',
    hash: 'h',
  });
  for (const text of ['# Readme\n', textOf('nope'), '---\na: 1\na: 2\n---\n'])
    expect(snapshot(text)).toEqual({ type: null, portability: null, hash: 'h' });
});

test('unresolved conflict markers are refused with their line, in frontmatter and body, but not in code', () => {
  const frontmatter = '---\ntype: memory\n<<<<<<< HEAD\nstatus: active\n=======\nstatus: archived\n>>>>>>> other\n---\n';
  expect(validate(frontmatter)).toMatchObject({ valid: false, errors: [{ field: 'frontmatter', line: 3 }] });
  const conflict = '<<<<<<< HEAD\nOne.\n=======\nTwo.\n>>>>>>> other\n';
  expect(validate(textOf('rule', {}, conflict))).toMatchObject({ valid: false, errors: [{ field: 'body', line: 8 }] });
  expect(validate(textOf('rule', {}, `\`\`\`\n${conflict}\`\`\`\n`)).errors).toEqual([]);
});
