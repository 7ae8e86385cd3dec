import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonSyntaxError, parseStrictJson } from './strict-json.ts';

const offsetOf = (text: string): number => {
  try {
    parseStrictJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.offset;
  }
  throw new Error(`'${text}' was read`);
};

test('it reads every JSON value exactly as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(JSON.stringify(parseStrictJson(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('it refuses every text that JSON.parse refuses', () => {
  const pieces = fc.array(
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"', '1', '-', '0', '.5', 'e1', 'true', 'nul', ' ', '\n', '\\', '\u0001'),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(pieces, parts => {
      const text = parts.join('');
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      if (!valid) expect(() => parseStrictJson(text)).toThrow(JsonSyntaxError);
    }),
    { numRuns: 2000 },
  );
});

test('a name that stands twice is refused with its place', () => {
  expect(() => parseStrictJson('{"a":1,"b":{"a":2,"a":3}}')).toThrow('"a" stands twice');
  expect(offsetOf('{"a":1,"\\u0061":2}')).toBe(7);
});

test('__proto__ is an ordinary name', () => {
  const value = parseStrictJson('{"__proto__":{"type":"rule"},"constructor":1}') as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(value)).toBeNull();
});

test('nesting beyond the limit is refused, up to the limit it is read', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  expect(() => parseStrictJson(nested(81))).not.toThrow();
  expect(() => parseStrictJson(nested(82))).toThrow('deeper than 80');
});

test.each([
  ['', 0],
  ['{"a":1', 6],
  ['{"a" 1}', 5],
  ['[1,]', 3],
  ['01', 1],
  ['{a:1}', 1],
  ['"\u0009"', 0],
  ['1 2', 2],
])('%j is refused at its place', (text, offset) => {
  expect(offsetOf(text)).toBe(offset);
});

test('a document of many megabytes with escapes is read', () => {
  const content = 'a "quoted" line\\\n'.repeat(1_000_000);
  expect((parseStrictJson(JSON.stringify({ content })) as { content: string }).content).toBe(content);
});
