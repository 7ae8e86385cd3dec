import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePattern } from './index.ts';

const sources = [
  '^\\p{L}+$',
  '^.$',
  '^\\s$',
  '^[\\S]$',
  '^[\\s_]+$',
  '^\\S+$',
  '^\\ud83d\\ude00$',
  '^\\u{1F600}$',
  '^[(?:]+$',
  '^[[a]$',
  '\\x41b',
  '^(?<year>\\d{4})-(?:\\d\\d)$',
  '^a$',
  '\\p{Script=Han}',
  '\\p{sc=Hiragana}|\\P{L}',
  '\\p{Uppercase_Letter}|\\p{gc=Nd}',
  '[^\\p{Lu}\\d]',
  '\\bfoo\\b',
  '^[\\w.-]+@\\w+$',
  'a|b*?c{2,3}',
  '^\\cJ\\0?[\\b]?$',
  '^\\/[\\-\\]]\\.$',
  '',
];
const values = [
  '',
  'a',
  'A',
  'a\n',
  '\n',
  '\r',
  '\u2028',
  '\u3000',
  '\ufeff',
  '😀',
  '顧客',
  'ひ',
  '_ _',
  '(?:',
  '[',
  'Ab',
  '2026-05',
  'foo bar',
  'é@b',
  '/-.',
  '/].',
  '1',
  'bccc',
  '\u0000',
  '\b',
];

test('a pattern means what ECMAScript means by it under the u flag', () => {
  for (const source of sources) {
    const matches = compilePattern(source);
    for (const value of values) expect([source, value, matches(value)]).toEqual([source, value, new RegExp(source, 'u').test(value)]);
  }
});

test('a pattern means the same on any text', () => {
  const matchers = sources.map(source => [compilePattern(source), new RegExp(source, 'u')] as const);
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 12 }), value => {
    for (const [matches, reference] of matchers) expect(matches(value)).toBe(reference.test(value));
  });
  fc.assert(property, { numRuns: 300 });
});

test('a pattern is searched, not anchored', () => {
  expect(compilePattern('b')('abc')).toBe(true);
});

test('a pattern that back-tracking engines choke on answers at once', () => {
  const started = performance.now();
  expect(compilePattern('^(a+)+$')(`${'a'.repeat(50_000)}!`)).toBe(false);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test.each([
  ['(?=a)', /look-ahead/],
  ['(?!a)', /look-ahead/],
  ['(?<=a)b', /look-behind/],
  ['(?<!a)b', /look-behind/],
  ['(a)\\1', /back-references/],
  ['(?<n>a)\\k<n>', /back-references/],
  ['\\p{Script_Extensions=Han}', /not supported/],
  ['(', /Unterminated group/],
  ['[]', /cannot be used/],
  ['a{5000}', /repeat/],
  ['\\p{Nonsense}', /property/],
  ['(?i:a)', /cannot be used/],
])('%s is refused with its reason', (source, reason) => {
  expect(() => compilePattern(source)).toThrow(reason);
});

test('a pattern that would take long to compile is refused at once, in a short message', () => {
  expect(() => compilePattern('a'.repeat(3_000_000))).toThrow(/^the pattern has 3000000 signs, and at most 4096 are allowed$/);
  expect(compilePattern('a'.repeat(4096))('a'.repeat(4096))).toBe(true);
});
