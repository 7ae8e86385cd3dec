import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { createDocument, type FrontmatterMap, parseDocument, patchDocument } from './index.ts';

// Every decided input of the frontmatter subset. `value`: what `k` means (or `data`: the whole map); `canonical`: the
// text after `k:` when it differs from the input; `yaml`: the YAML 1.2 reader agrees; `warns`: read, with a warning.
interface Decided {
  readonly row: number;
  readonly input: string;
  readonly value?: unknown;
  readonly data?: FrontmatterMap;
  readonly canonical?: string;
  readonly yaml?: boolean;
  readonly warns?: boolean;
}

const same = (row: number, input: string, value: unknown, canonical?: string): Decided => ({
  row,
  input: `k: ${input}`,
  value,
  yaml: true,
  ...(canonical === undefined ? {} : { canonical }),
});
const ours = (row: number, input: string, value: unknown, canonical?: string): Decided => ({
  ...same(row, input, value, canonical),
  yaml: false,
});
const whole = (row: number, input: string, data: FrontmatterMap, canonical?: string): Decided => ({
  row,
  input,
  data,
  yaml: true,
  ...(canonical === undefined ? {} : { canonical }),
});

const accepted: Decided[] = [
  same(1, 'hello', 'hello', 'hello'),
  same(2, String.raw`"a\"b"`, 'a"b', String.raw`"a\"b"`),
  same(3, String.raw`"x\ny"`, 'x\ny', String.raw`"x\ny"`),
  same(4, String.raw`"\u00e9\x41\t"`, 'éA\t', String.raw`"éA\t"`),
  { ...ours(5, String.raw`"C:\path"`, 'C:\\path', String.raw`"C:\\path"`), warns: true },
  same(6, "'it''s'", "it's", '"it\'s"'),
  same(7, String.raw`'a\nb'`, 'a\\nb', String.raw`"a\\nb"`),
  same(9, '""', '', '""'),
  same(10, '"a" # c', 'a', 'a'),
  same(12, 'a # c', 'a', 'a'),
  same(12, 'a\t# c', 'a', 'a'),
  same(13, 'a#b', 'a#b', 'a#b'),
  same(13, '"a # b"', 'a # b', '"a # b"'),
  same(14, '#c', null, 'null'),
  { row: 15, input: 'k: # c\n  x: 1', value: { x: 1 }, canonical: '\n  x: 1', yaml: true },
  { row: 16, input: 'k:', value: null, canonical: 'null', yaml: true },
  same(17, '~', null, 'null'),
  same(17, 'null', null, 'null'),
  ours(18, 'Null', 'Null', '"Null"'),
  ours(18, 'NULL', 'NULL', '"NULL"'),
  same(19, 'true', true, 'true'),
  same(19, 'false', false, 'false'),
  ours(20, 'True', 'True', '"True"'),
  ours(20, 'TRUE', 'TRUE', '"TRUE"'),
  same(21, 'yes', 'yes', '"yes"'),
  same(21, 'no', 'no', '"no"'),
  same(21, 'on', 'on', '"on"'),
  same(21, 'y', 'y', '"y"'),
  same(22, '0', 0, '0'),
  same(22, '42', 42, '42'),
  same(22, '-5', -5, '-5'),
  ours(23, '-0', 0, '0'),
  ours(24, '+42', '+42', '"+42"'),
  ours(25, '007', '007', '"007"'),
  ours(25, '07885', '07885', '"07885"'),
  ours(26, '-012', '-012', '"-012"'),
  ours(27, '0x1F', '0x1F', '"0x1F"'),
  ours(27, '0o17', '0o17', '"0o17"'),
  same(28, '1_000', '1_000', '"1_000"'),
  same(28, '1,000', '1,000', '"1,000"'),
  same(28, '$5', '$5', '$5'),
  ours(29, '9007199254740993', '9007199254740993', '"9007199254740993"'),
  same(30, '1.10', 1.1, '1.1'),
  same(31, '.5', 0.5, '0.5'),
  same(31, '-.5', -0.5, '-0.5'),
  same(31, '00.5', 0.5, '0.5'),
  ours(32, '5.', '5.', '"5."'),
  ours(32, '1e3', '1e3', '"1e3"'),
  ours(32, '1.5e-3', '1.5e-3', '"1.5e-3"'),
  ours(33, '.inf', '.inf', '".inf"'),
  ours(33, '.nan', '.nan', '".nan"'),
  same(33, '1.2.3', '1.2.3', '1.2.3'),
  same(34, '2026-05-16T14:00:00Z', '2026-05-16T14:00:00Z', '"2026-05-16T14:00:00Z"'),
  same(35, '2026-05-16', '2026-05-16', '"2026-05-16"'),
  same(35, '12:30', '12:30', '"12:30"'),
  same(36, '[]', [], '[]'),
  same(36, '[ ]', [], '[]'),
  same(37, '[a, b, "c d"]', ['a', 'b', 'c d'], '\n  - a\n  - b\n  - c d'),
  same(38, '["a, b", c]', ['a, b', 'c'], '\n  - "a, b"\n  - c'),
  same(39, "['x, y', 'it''s']", ['x, y', "it's"], '\n  - "x, y"\n  - "it\'s"'),
  same(40, '[1, 2.5, true, ~, "3"]', [1, 2.5, true, null, '3'], '\n  - 1\n  - 2.5\n  - true\n  - null\n  - "3"'),
  same(41, '[a, [b, c]]', ['a', ['b', 'c']], '\n  - a\n  - - b\n    - c'),
  same(42, '[a, b,]', ['a', 'b'], '\n  - a\n  - b'),
  same(44, '[context:universal, b]', ['context:universal', 'b'], '\n  - context:universal\n  - b'),
  same(45, '[a,\n  b]', ['a', 'b'], '\n  - a\n  - b'),
  same(45, '[a # c\n , b]', ['a', 'b'], '\n  - a\n  - b'),
  same(46, '[a, b] # c', ['a', 'b'], '\n  - a\n  - b'),
  ours(47, '[07003, 1.10]', ['07003', 1.1], '\n  - "07003"\n  - 1.1'),
  same(48, '{}', {}, '{}'),
  same(49, '{a: 1, b: x}', { a: 1, b: 'x' }, '\n  a: 1\n  b: x'),
  same(50, '[{"a": 1}]', [{ a: 1 }], '\n  - a: 1'),
  same(50, '{"a": [1,2]}', { a: [1, 2] }, '\n  a:\n    - 1\n    - 2'),
  whole(51, 'k:\n\n  - a\n  # c\n\n  - b', { k: ['a', 'b'] }, '\n  - a\n  - b'),
  whole(52, 'k:\n- a\n- b\nz: 1', { k: ['a', 'b'], z: 1 }, '\n  - a\n  - b'),
  whole(53, 'k:\n  - "a: b"\n  - c: d', { k: ['a: b', { c: 'd' }] }, '\n  - "a: b"\n  - c: d'),
  whole(54, 'k:\n  - a: 1\n    b: 2', { k: [{ a: 1, b: 2 }] }, '\n  - a: 1\n    b: 2'),
  whole(55, 'k:\n  -\n    a: 1', { k: [{ a: 1 }] }, '\n  - a: 1'),
  whole(56, 'k:\n  - a:\n      x: 1\n    b: 2', { k: [{ a: { x: 1 }, b: 2 }] }, '\n  - a:\n      x: 1\n    b: 2'),
  whole(57, 'k:\n  - - a\n    - b', { k: [['a', 'b']] }, '\n  - - a\n    - b'),
  whole(
    58,
    'k:\n  - context:universal\n  - http://x/z',
    { k: ['context:universal', 'http://x/z'] },
    '\n  - context:universal\n  - http://x/z',
  ),
  whole(59, 'k:\n  -a', { k: '-a' }, '"-a"'),
  whole(60, 'k:\n  - # c\n  - b', { k: [null, 'b'] }, '\n  - null\n  - b'),
  whole(61, 'k:\n  - long\n    text', { k: ['long text'] }, '\n  - long text'),
  whole(62, 'k:\n  - d: >-\n      a\n      b\n    z: 1', { k: [{ d: 'a b', z: 1 }] }, '\n  - d: a b\n    z: 1'),
  whole(63, 'k:\n  - >-\n    a\n    b', { k: ['a b'] }, '\n  - a b'),
  whole(64, 'k:\n    a: 1\n\n    b: 2\nz: 3', { k: { a: 1, b: 2 }, z: 3 }, '\n  a: 1\n  b: 2'),
  whole(66, 'k: >\n  a\n  b\n\n  c\nz: 1', { k: 'a b\nc\n', z: 1 }, String.raw`"a b\nc\n"`),
  same(67, '>-\n  a\n  b', 'a b', 'a b'),
  same(68, '|\n  a\n   b', 'a\n b\n', String.raw`"a\n b\n"`),
  same(69, '>-\n\n  a', '\na', String.raw`"\na"`),
  same(70, '>-\n  a\n    b\n  c', 'a\n  b\nc', String.raw`"a\n  b\nc"`),
  same(71, '>2\n   a', ' a\n', String.raw`" a\n"`),
  same(71, '>- # c\n  a', 'a', 'a'),
  whole(72, 'k: >-\nz: 1', { k: '', z: 1 }, '""'),
  same(73, 'plain\n  more', 'plain more', 'plain more'),
  same(73, '"q\n  r"', 'q r', 'q r'),
  whole(75, 'a-b: 1\na.b: 1', { 'a-b': 1, 'a.b': 1 }),
  { ...whole(76, '@id: x', { '@id': 'x' }), yaml: false },
  whole(77, '"q k": 1\na b: 1\n日本: 1', { 'q k': 1, 'a b': 1, 日本: 1 }),
  same(79, 'http://x/z', 'http://x/z', 'http://x/z'),
  same(79, 'context:universal', 'context:universal', 'context:universal'),
  { ...ours(80, 'a: b', 'a: b', '"a: b"'), warns: true },
  { ...ours(80, '@x', '@x', '"@x"'), warns: true },
  { ...ours(80, '%x', '%x', '"%x"'), warns: true },
  { ...ours(80, '`x`', '`x`', '"`x`"'), warns: true },
  whole(82, '__proto__:\n  type: rule', JSON.parse('{"__proto__":{"type":"rule"}}')),
  whole(87, '  k: 1\n  z: 2', { k: 1, z: 2 }),
  same(88, 'a\u2028b', 'a\u2028b', String.raw`"a\u2028b"`),
  same(88, 'a\u2029b', 'a\u2029b', String.raw`"a\u2029b"`),
];

const refused: [row: number, input: string, line: number, column: number][] = [
  [8, 'k: "', 2, 4],
  [8, "k: '", 2, 4],
  [11, 'k: "a" b', 2, 8],
  [43, 'k: [a,, b]', 2, 7],
  [65, 'k:\n\ta: 1', 3, 1],
  [74, 'k: plain\n  key: v', 3, 6],
  [78, 'k:v', 2, 1],
  [81, 'k: 1\nk: 2', 3, 1],
  [83, 'k: &a x', 2, 4],
  [83, 'k: *a', 2, 4],
  [83, 'k: !!str 5', 2, 4],
  [83, 'k: - a', 2, 4],
  [83, 'k: [a', 2, 4],
  [86, 'just text', 2, 1],
  [86, '- a', 2, 1],
];

const file = (block: string): string => `---\n${block}\n---\n\nBody\n`;

const read = (text: string) => {
  const parsed = parseDocument(text);
  if (parsed.kind !== 'document') throw new Error(`expected a document, got ${JSON.stringify(parsed)}`);
  return parsed.document;
};

const expectedData = (decided: Decided): unknown => decided.data ?? { k: decided.value };

describe.each(accepted)('row $row: $input', decided => {
  const document = read(file(decided.input));

  test('has the decided value', () => {
    expect(JSON.parse(JSON.stringify(document.data))).toEqual(expectedData(decided));
    expect(document.warnings.map(warning => warning.field)).toEqual(decided.warns ? ['k'] : []);
  });

  test('reads alike with CRLF and behind a byte order mark', () => {
    const other = read(`\ufeff${file(decided.input).replaceAll('\n', '\r\n')}`);
    expect(other.data).toEqual(document.data);
    expect(other.lineEnding).toBe('\r\n');
  });

  test('has the decided canonical form, which reads back equal', () => {
    const canonical = createDocument(document.data, '');
    expect(read(canonical).data).toEqual(document.data);
    if (decided.canonical === undefined) return;
    const separator = decided.canonical.startsWith('\n') ? '' : ' ';
    expect(canonical.startsWith(`---\nk:${separator}${decided.canonical}\n`)).toBe(true);
    const changed = patchDocument(read(file('k: another value')), { k: document.data.k }, 'replace');
    expect(changed.text).toBe(file(`k:${separator}${decided.canonical}`));
  });

  test('keeps its bytes when another key or the same value is patched', () => {
    const patched = patchDocument(document, { ...document.data, added: 1 }, 'replace');
    const indent = ' '.repeat(document.layout.indent);
    expect(patched.text).toBe(file(`${decided.input}\n${indent}added: 1`));
  });

  if (decided.yaml) {
    test('agrees with a YAML 1.2 reader', () => {
      expect(JSON.parse(JSON.stringify(document.data))).toEqual(JSON.parse(JSON.stringify(parseYaml(decided.input))));
    });
  }
});

describe('refused inputs', () => {
  test.each(refused)('row %i: %j is refused with its place', (_row, input, line, column) => {
    const parsed = parseDocument(file(input));
    expect(parsed.kind === 'invalid' && parsed.issues).toEqual([
      { field: 'frontmatter', issue: expect.stringMatching(/\.$/), line, column },
    ]);
  });

  test('row 81: a key twice is refused naming the key and both lines, and the rest stays readable', () => {
    const parsed = parseDocument('---\nstatus: active\ntags: [a]\nstatus: archived\n---\n');
    if (parsed.kind !== 'invalid') throw new Error(parsed.kind);
    expect(parsed.issues[0]?.issue).toMatch(/'status'.*line 2.*line 4/);
    expect(parsed.readable).toEqual({ tags: ['a'] });
  });
});

describe('keys in canonical form', () => {
  test.each([
    ['@id', '"@id": x'],
    ['a-b', 'a-b: x'],
    ['a.b', 'a.b: x'],
    ['q k', 'q k: x'],
    ['a b', 'a b: x'],
    ['日本', '日本: x'],
    ['__proto__', '__proto__: x'],
    ['a: b', '"a: b": x'],
    ['true', '"true": x'],
    ['007', '"007": x'],
    ['... a', '"... a": x'],
    ['', ''],
  ])('%j', (key, line) => {
    if (key === '') return expect(() => createDocument({ [key]: 'x' }, '')).toThrow('empty');
    const data = JSON.parse(`{${JSON.stringify(key)}:"x"}`);
    expect(createDocument(data, '')).toBe(`---\n${line}\n---\n`);
  });
});

describe('row 89: fences', () => {
  test.each([
    '----\nk: 1\n----\n',
    '---yaml\nk: 1\n---\n',
    '---js\nglobalThis.pwned = 1\n---\nbody\n',
    ' ---\nk: 1\n---\n',
    '---\nk: 1\n',
    '---\nk: 1\n---x\n',
    '---\nk: 1\n...\n',
    '---',
    '---\n',
    '',
  ])('%j holds no frontmatter', text =>
    expect(parseDocument(text)).toEqual({ kind: 'ordinary', text, reason: expect.stringMatching(/\.$/) }),
  );

  test.each(['---\n---\n', '---\n---', '--- \t\n---  \n', '---\r\n---\r\n'])('%j holds empty frontmatter', text => {
    expect(read(text).data).toEqual({});
    expect(read(text).body).toBe('');
  });
});
