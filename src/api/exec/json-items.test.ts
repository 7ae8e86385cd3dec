import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonItem } from './json-item.ts';
import { readJsonItems } from './json-items.ts';

async function* inChunks(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let index = 0; index < bytes.length; index += size) yield bytes.subarray(index, index + size);
}

const itemsOf = async (text: string | Uint8Array, size?: number): Promise<JsonItem[]> => {
  const items: JsonItem[] = [];
  for await (const item of readJsonItems(inChunks(text, size))) items.push(item);
  return items;
};
const short = (items: readonly JsonItem[]): unknown[] =>
  items.map(item => ('value' in item ? JSON.stringify(item.value) : `${item.line}:${item.column} ${item.problem}`));

test('one value per line, blank lines and a missing last line end included', async () => {
  expect(short(await itemsOf('{"a":1}\n\n  {"b":2}\r\n{"c":3}'))).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
});

test('a value spread over lines is one item, several in a row are several', async () => {
  const printed = `${JSON.stringify({ a: { b: [1, 2] }, c: '}{' }, null, 2)}\n`;
  expect(short(await itemsOf(printed + printed))).toEqual(['{"a":{"b":[1,2]},"c":"}{"}', '{"a":{"b":[1,2]},"c":"}{"}']);
});

test('an array gives its elements, on one line or many, and is read on after its end', async () => {
  expect(short(await itemsOf('[{"a":1},{"b":"],"}]\n'))).toEqual(['{"a":1}', '{"b":"],"}']);
  expect(short(await itemsOf('\n [\n  {\n    "a": 1\n  },\n  2\n]\n{"c":3}\n'))).toEqual(['{"a":1}', '2', '{"c":3}']);
  expect(await itemsOf('[]')).toEqual([]);
  expect(await itemsOf('[\n]\n')).toEqual([]);
});

test('any split of the input into chunks gives the same items', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 5 }),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      async (values, size, asArray) => {
        const text = asArray ? JSON.stringify(values, null, 1) : values.map(value => JSON.stringify([value])).join('\n');
        const expected = asArray || values.length === 0 ? values : [values[0], ...values.slice(1).map(value => [value])];
        expect(short(await itemsOf(text, size))).toEqual(expected.map(value => JSON.stringify(value)));
      },
    ),
    { numRuns: 200 },
  );
});

test('a malformed line is an item in its place and the lines around it are read', async () => {
  expect(short(await itemsOf('{"a":1}\n{"b":\n{"c":3}\noops\n"open\n{"d":4}\n'))).toEqual([
    '{"a":1}',
    '2:6 expected a JSON value, found the text ends',
    '{"c":3}',
    '4:1 expected a JSON value, found "oops"',
    expect.stringMatching(/^5:1 expected a closed string/),
    '{"d":4}',
  ]);
});

test('a cut-off value at the end of the input is reported line by line', async () => {
  const items = short(await itemsOf('{\n  "a": 1,\n'));
  expect(items).toHaveLength(2);
  expect(items[1]).toMatch(/^2:6 text after the end/);
});

test('bytes that are not UTF-8 spoil only their own line', async () => {
  expect(short(await itemsOf(Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n{"b":2}\n')])))).toEqual([
    '1:1 the bytes are not valid UTF-8',
    '{"b":2}',
  ]);
});

test('broken elements of an array are reported in place, an array without an end too', async () => {
  expect(short(await itemsOf('[{"a":1}, {"b" 2}, 3,\n 4'))).toEqual([
    '{"a":1}',
    '1:16 expected \':\', found "2}"',
    '3',
    '4',
    expect.stringContaining('array is not closed'),
  ]);
  expect(short(await itemsOf('[1,]'))).toEqual(['1', expect.stringContaining('expected a JSON value')]);
});

test('a byte order mark is not part of the first value', async () => {
  expect(short(await itemsOf('\uFEFF{"a":1}\n'))).toEqual(['{"a":1}']);
  expect(short(await itemsOf('\uFEFF[{"a":1}]'))).toEqual(['{"a":1}']);
});
