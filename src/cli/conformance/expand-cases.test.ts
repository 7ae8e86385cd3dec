import { expect, test } from 'vitest';
import { expandCase } from './expand-cases.ts';
import { parseStep } from './parse-step.ts';

const minimal = { universal: { title: 'T' }, documents: { rule: { type: 'rule', name: 'R' } } };

test('variables of a case stand for values, list items, members and parts of texts', () => {
  const data = { a: { $case: 'v' }, b: ['x', { $spread: 'l' }], c: { $merge: 'm', own: 1 }, '{{k}}': 'say {{k}} and {{n}}' };
  expect(expandCase(data, { v: null, l: ['y', 'z'], m: { from: 'case' }, k: 'key' }, minimal)).toEqual({
    a: null,
    b: ['x', 'y', 'z'],
    c: { from: 'case', own: 1 },
    key: 'say key and {{n}}',
  });
});

test('a variable no case has is an error, not an empty value', () => {
  expect(() => expandCase({ $case: 'gone' }, {}, minimal)).toThrow("no case has a variable 'gone'");
});

test('documents are built from the minimal one by setting and dropping fields', () => {
  const value = { $minimal: 'rule', set: { tags: ['a'], m: { k: [{ x: 1 }] } }, drop: ['name'], body: 'b' };
  expect(expandCase(value, {}, minimal)).toBe('---\ntype: "rule"\ntitle: "T"\ntags: ["a"]\nm:\n  k:\n    - x: 1\n---\nb');
});

test('lines get the asked line ending and mark', () => {
  expect(expandCase({ $lines: ['---', 'a: 1', '---'], line_ending: 'crlf', bom: true }, {}, minimal)).toBe('\uFEFF---\r\na: 1\r\n---\r\n');
});

test('a step with a member nothing reads is refused, because a typo would skip a check', () => {
  const step = { envelope: { type: 'event' }, expect: { outcome: 'commit', file: {} } };
  expect(() => parseStep(step)).toThrow('unknown member file');
  expect(() => parseStep({ envelope: {}, expects: 'commit' })).toThrow('unknown member expects');
  expect(() => parseStep({ envelope: {} })).toThrow('needs "expect"');
  expect(() => parseStep({ wait: 5 })).toThrow('no known kind');
});
