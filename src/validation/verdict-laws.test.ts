import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDocument, parseDocument } from '#document';
import { composeRegistry, loadCoreRegistry, parseExtension } from '#registry';
import { type Verdict, validateDocument } from './index.ts';

const extensions = ['a', 'b', 'c'].map(id =>
  parseExtension(
    JSON.stringify({
      registry: id,
      version: '1.0.0',
      aliases: { [`${id}_alias`]: `${id}_type` },
      primitives: {
        [`${id}_type`]: {
          portability: 'structural',
          required_fields: ['name', 'state'],
          required_when: { 'state==open': ['owner'] },
          enums: { state: ['open', 'shut'] },
          patterns: { name: '^[a-z]+$' },
          references: { other: { allowed_types: [`${id}_type`] } },
        },
      },
    }),
    `${id}.json`,
  ),
);
const names = [...loadCoreRegistry().documentTypes.map(({ type }) => type), 'a_type', 'b:b_type', 'c_alias', 'nope', 'event'];
const scalar = fc.oneof(
  fc.constantFrom('open', 'shut', 'active', 'none', '', 'x.md', 'resource_bound'),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
const keys = [
  'title',
  'description',
  'timestamp',
  'name',
  'state',
  'status',
  'slug',
  'category',
  'encoding',
  'x_portability',
  'other',
  'owner',
  'priority',
  'permissions',
  'locale',
];
const data = fc.record(
  { type: fc.constantFrom(...names), ...Object.fromEntries(keys.map(key => [key, value])) },
  { requiredKeys: ['type'] },
);

const lookup = (path: string) => (path === 'x.md' ? ({ type: 'a:a_type', portability: 'structural', hash: 'h' } as const) : null);
const wire = ({ definition, ...verdict }: Verdict): string => JSON.stringify({ ...verdict, definition: definition?.qualified ?? null });

test('the verdict is the same JSON for every load order of the extensions', () => {
  const inOrder = composeRegistry({ extensions });
  const property = fc.property(data, fc.shuffledSubarray(extensions, { minLength: 3 }), (document, order) => {
    const parsed = parseDocument(createDocument(document, 'Body.\n'));
    const verdict = wire(validateDocument(parsed, inOrder, lookup));
    expect(wire(validateDocument(parsed, composeRegistry({ extensions: order }), lookup))).toBe(verdict);
  });
  fc.assert(property, { numRuns: 60 });
});

test('the verdict is the same however often it is asked', () => {
  const registry = composeRegistry({ extensions });
  const property = fc.property(data, document => {
    const text = createDocument(document, '');
    const first = wire(validateDocument(parseDocument(text), registry, lookup));
    for (let repeat = 0; repeat < 5; repeat += 1) expect(wire(validateDocument(parseDocument(text), registry, lookup))).toBe(first);
  });
  fc.assert(property, { numRuns: 200 });
});

test('a verdict is valid exactly when it has no errors, and every issue names a field and says something', () => {
  const registry = composeRegistry({ extensions });
  const property = fc.property(data, document => {
    const verdict = validateDocument(parseDocument(createDocument(document, '')), registry, lookup);
    expect(verdict.valid).toBe(verdict.errors.length === 0);
    for (const { field, issue, line } of [...verdict.errors, ...verdict.warnings]) {
      expect(field).not.toBe('');
      expect(issue.length).toBeGreaterThan(10);
      expect(line).toBeGreaterThanOrEqual(1);
    }
  });
  fc.assert(property, { numRuns: 200 });
});

const isEmpty = (entry: unknown): boolean =>
  entry === undefined || entry === null || entry === '' || (Array.isArray(entry) && entry.length === 0);

test('a document is valid exactly when the rules of §9, written a second time, hold', () => {
  const registry = composeRegistry({ extensions });
  const property = fc.property(data, document => {
    const fields = document as Record<string, unknown>;
    const definition = registry.resolve(document.type);
    const holds = (condition: string): boolean => {
      const [field = '', wanted = ''] = condition.split('==');
      return [fields[field]].flat().some(entry => entry !== undefined && String(entry as string) === wanted);
    };
    const allowed = (enums: Readonly<Record<string, readonly unknown[]>>): boolean =>
      Object.entries(enums).every(
        ([field, values]) => fields[field] === undefined || [fields[field]].flat().every(entry => values.includes(entry)),
      );
    const expected =
      definition !== null &&
      [...registry.universalFields, ...definition.required_fields].every(field => !isEmpty(fields[field])) &&
      Object.entries(definition.required_when).every(
        ([condition, required]) => !holds(condition) || required.every(field => !isEmpty(fields[field])),
      ) &&
      allowed(definition.enums) &&
      Object.entries(definition.enums_when).every(([condition, enums]) => !holds(condition) || allowed(enums)) &&
      Object.entries(definition.patterns).every(
        ([field, pattern]) =>
          fields[field] === undefined ||
          [fields[field]].flat().every(entry => typeof entry === 'string' && new RegExp(pattern, 'u').test(entry)),
      ) &&
      Object.keys(definition.references).every(
        field =>
          fields[field] === undefined || [fields[field]].flat().every(path => path === 'x.md' && definition.qualified === 'a:a_type'),
      );
    const verdict = validateDocument(parseDocument(createDocument(fields, '')), registry, lookup);
    expect([verdict.valid, verdict.errors]).toEqual([expected, expected ? [] : verdict.errors]);
  });
  fc.assert(property, { numRuns: 500 });
});

test('the verdict of a small document is quick', () => {
  const registry = composeRegistry({ extensions });
  const parsed = parseDocument(
    createDocument({ type: 'rule', title: 'T', description: 'D', timestamp: '2026-05-16T14:00:00Z', name: 'n' }, 'Body.\n'),
  );
  const started = performance.now();
  for (let run = 0; run < 1_000; run += 1) validateDocument(parsed, registry, lookup);
  expect(performance.now() - started).toBeLessThan(2_000);
});
