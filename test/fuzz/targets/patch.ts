import type { Random } from '#adapter-contracts/testing';
import type { Document } from '#document';
import { isVaultError } from '#errors';
import { chance, pick, several } from '../engine/choose.ts';
import { expand, type Grammar } from '../engine/grammar.ts';
import { type FuzzTarget, law, outcome } from '../engine/target.ts';
import { type DocumentReader, documentReader } from './frontmatter.ts';
import { frontmatterTokens, generateDocument } from './frontmatter-grammar.ts';

// An input is a document and, after this line, the patches as JSON.
const separator = '\n%%patches\n';

const patches: Grammar = {
  object: ['{}', '{<members>}', '{<members>}', '{<members>}'],
  members: ['<member>', '<member>,<member>', '<member>,<member>,<member>'],
  member: ['"k0":1', '"<key>":<value>', '"<key>":<value>', '"__body__":<text>'],
  key: [
    'k0',
    'k1',
    'k2',
    'k3',
    'new',
    'a b',
    'a: b',
    'x: 1\\ntype',
    '',
    '__proto__',
    'constructor',
    'true',
    '1',
    '@id',
    '- a',
    '... a',
    '---',
    '#a',
    'é',
    '\\u2028',
    '\\u0000',
    '\\ud800',
    ' a',
    'a ',
    '\\"q\\"',
  ],
  value: ['1', '<number>', '<text>', '<text>', 'null', 'true', '[]', '{}', '[<items>]', '{<members>}', '[[<items>],[{"a":[<items>]}]]'],
  items: ['<value>', '<value>,<value>'],
  number: ['0', '-0', '1.5', '1e-7', '1e21', '9007199254740991', '9007199254740993', '5e-324', '-1.7976931348623157e308', '0.1', '1e15'],
  text: ['""', '"a"', '"<part>"', '"<part><part>"', '"<part> <part>"'],
  part: [
    'a',
    ' ',
    '\\n',
    '\\r\\n',
    '---',
    '\\n---\\n',
    ': ',
    ' #',
    '#',
    '- ',
    '\\"',
    "'",
    '\\\\',
    'null',
    'yes',
    '007',
    '2026-05-16',
    '1e3',
    '[a]',
    '{a: 1}',
    '|',
    '>',
    '&a',
    '*a',
    '!a',
    '%',
    '@',
    '\\u0085',
    '\\u2028',
    '\\ufeff',
    '\\u0000',
    '\\t',
    '\\ud83d\\ude00',
    '\\udc00',
    '__proto__',
    '<<',
    '=',
  ],
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const wellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Whether frontmatter can hold the value, by the rules and not by the code (readings: writing frontmatter). */
const expressible = (value: unknown, depth: number): boolean => {
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value === 'number') return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (typeof value !== 'object' || value === null) return true;
  if (depth > 64) return false;
  if (Array.isArray(value)) return value.every(item => expressible(item, depth + 1));
  return Object.entries(value).every(([key, member]) => key !== '__body__' && usableKey(key) && expressible(member, depth + 1));
};

const usableKey = (key: string): boolean => key !== '' && wellFormed(key) && !/[\0-\x1f\x7f-\x9f\u2028\u2029]/.test(key);

const expected = ({ __body__: body, ...changes }: Record<string, unknown>): boolean =>
  (body === undefined || (typeof body === 'string' && wellFormed(body))) && expressible(changes, 1);

/** JSON with -0 as 0, in which maps of any prototype are alike. */
const json = (value: unknown): string => JSON.stringify(value);

/** Every byte outside the entries that change is kept, in its order. */
const keepsTheRest = (before: Document, after: Document, changes: Record<string, unknown>): void => {
  let from = 0;
  let rest = after.text;
  const expect = (text: string, what: string): void => {
    law(rest.startsWith(text), `a patch keeps ${what}`, { text, rest: rest.slice(0, 200) });
    rest = rest.slice(text.length);
  };
  const spans = new Map(after.layout.entries.map(entry => [entry.key, entry]));
  for (const { key, value, start, end } of before.layout.entries) {
    expect(before.text.slice(from, start), 'what stands between entries');
    const span = spans.get(key);
    law(span !== undefined, 'a patch keeps every key', key);
    if (Object.hasOwn(changes, key) && json(changes[key]) !== json(value)) rest = rest.slice(span.end - span.start);
    else expect(before.text.slice(start, end), 'an entry that does not change');
    from = end;
  }
  expect(before.text.slice(from, before.layout.fenceStart), 'what stands before the fence');
  const added = after.layout.entries.slice(before.layout.entries.length).reduce((size, { start, end }) => size + end - start, 0);
  rest = rest.slice(added);
  expect(before.text.slice(before.layout.fenceStart, before.layout.bodyStart), 'the closing fence');
};

const checkPatched = (before: Document, after: Document, all: Record<string, unknown>): void => {
  const { __body__: body, ...changes } = all;
  const merged: Record<string, unknown> = Object.assign(Object.create(null), before.data);
  for (const [key, value] of Object.entries(changes)) merged[key] = value;
  law(json(after.data) === json(merged), 'the patched data is the old with the patches over it', { after: after.data, merged });
  law(after.body === (body ?? before.body), 'the body changes only by __body__', after.body);
  law(Object.keys(changes).length > 0 || body !== undefined || after.text === before.text, 'an empty patch changes no byte');
  keepsTheRest(before, after, changes);
};

const readInput = (input: Buffer): readonly [text: string, patches: Record<string, unknown>] => {
  const [text = '', ...rest] = input.toString('utf8').split(separator);
  const read = outcome(() => JSON.parse(rest.join(separator)) as unknown);
  return [text, 'value' in read && isObject(read.value) ? read.value : {}];
};

/** Patching: law FC2, what may be refused, and every byte that must stay. */
export const createPatchTarget = (reader: DocumentReader = documentReader): FuzzTarget => ({
  name: 'patch',
  generate: random => generateDocument(random) + separator + generatePatches(random),
  tokens: [...frontmatterTokens, separator, '"k0":', '"__body__":"b"', ',"new":null', '{}', '[[{"a":1}]]'],
  executions: 3000,
  guidedBy: /\/src\/document\/(?!.*\.test\.)/,
  check(input) {
    const [text, changes] = readInput(input);
    const parsed = reader.parseDocument(text);
    if (parsed.kind !== 'document') return;
    const before = parsed.document;
    const patched = outcome(() => reader.patchDocument(before, changes, 'replace'));
    if ('thrown' in patched) {
      const error = patched.thrown;
      law(isVaultError(error) && error.code !== 'internal_error', 'a patch is refused as a bad request', String(error));
      return law(!expected(changes), 'a patch of values that frontmatter can hold is accepted', String(error));
    }
    law(expected(changes), 'a value that frontmatter cannot hold is refused', changes);
    checkPatched(before, patched.value, changes);
    const again = reader.parseDocument(patched.value.text);
    law(again.kind === 'document' && json(again.document) === json(patched.value), 'a patched document is what its text says');
    const appended = outcome(() => reader.patchDocument(before, changes, 'append'));
    law('value' in appended && appended.value.body.startsWith(before.body), 'appending keeps the old body as a prefix', appended);
  },
});

const generatePatches = (random: Random): string =>
  chance(random, 0.9)
    ? expand(patches, 'object', random, 6)
    : several(random, 3, () => pick(random, ['{', '}', '"a"', ':', '1', ','])).join('');
