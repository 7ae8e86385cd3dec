import { expect, test } from 'vitest';
import { parseAssignments } from './assignments.ts';

test.each([
  ['k=hello', 'hello'],
  ['k=a=b', 'a=b'],
  ['k=true', true],
  ['k=True', 'True'],
  ['k=42', 42],
  ['k=-5', -5],
  ['k=07885', '07885'],
  ['k=9007199254740993', '9007199254740993'],
  ['k=1.10', 1.1],
  ['k=.5', 0.5],
  ['k=1e3', '1e3'],
  ['k=yes', 'yes'],
  ['k=2026-05-16', '2026-05-16'],
  ['k=null', null],
  ['k=', null],
  ['k:=""', ''],
  ['k:="007"', '007'],
  ['k:=["a", 1]', ['a', 1]],
])('%s is typed as frontmatter would be', (word, value) => {
  expect(parseAssignments([word])).toEqual(Object.assign(Object.create(null), { k: value }));
});

test('a repeated key, a word without =, an empty key and broken JSON are wrong usage', () => {
  expect(() => parseAssignments(['a=1', 'a:=2'])).toThrow("'a' is given twice");
  expect(() => parseAssignments(['status'])).toThrow('not an assignment');
  expect(() => parseAssignments(['=x'])).toThrow('no key');
  expect(() => parseAssignments(['a:={'])).toThrow("value of 'a' is not JSON");
});

test('__proto__ is an ordinary key', () => {
  expect(Object.keys(parseAssignments(['__proto__=x']))).toEqual(['__proto__']);
});
