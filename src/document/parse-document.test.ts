import { describe, expect, test } from 'vitest';
import { type Document, parseDocument } from './index.ts';

const read = (text: string): Document => {
  const parsed = parseDocument(text);
  if (parsed.kind !== 'document') throw new Error(JSON.stringify(parsed));
  return parsed.document;
};
const issues = (text: string): string[] => {
  const parsed = parseDocument(text);
  return parsed.kind === 'invalid'
    ? parsed.issues.map(({ field, line, column, issue }) => `${field} ${line}:${column} ${issue}`)
    : [parsed.kind];
};
const block = (frontmatter: string): string => `---\n${frontmatter}\n---\n`;
const value = (frontmatter: string): unknown => JSON.parse(JSON.stringify(read(block(frontmatter)).data));

describe('the split', () => {
  test('the body is everything after the closing fence line, and lines are counted', () => {
    const document = read('---\ntype: rule\nk:\n  - a\n---\n\nBody\n---\nmore');
    expect(document.body).toBe('\nBody\n---\nmore');
    expect(document.bodyLine).toBe(6);
    expect([document.lineOf('type'), document.lineOf('k'), document.lineOf('none')]).toEqual([2, 3, undefined]);
  });
  test('Windows files read like others', () => {
    const document = read('\ufeff---\r\ntype: memory\r\ntitle: T\r\n---\r\nBody\r\n');
    expect({ ...document.data }).toEqual({ type: 'memory', title: 'T' });
    expect(document.lineEnding).toBe('\r\n');
    expect(document.body).toBe('Body\r\n');
  });
  test.each([
    ['```markdown\n---\ntype: rule\n---\n```\n', 'inside a code fence'],
    ['\n---\ntype: rule\n---\n', 'very first line'],
    ['Prose\n---\ntype: rule\n---\n', 'does not start'],
    ['---\ntype: rule\n', 'no closing'],
    ['---json\n{}\n---\n', 'not exactly'],
  ])('%j says why it has no frontmatter', (text, reason) => {
    const parsed = parseDocument(text);
    expect(parsed.kind === 'ordinary' && parsed.reason).toContain(reason);
  });
  test('a second block at the start of the body is a warning', () => {
    expect(read('---\ntype: a\n---\n\n---\ntitle: b\n---\n').warnings).toEqual([
      { field: 'body', issue: expect.stringContaining('second'), line: 5, column: 1 },
    ]);
    expect(read('---\ntype: a\n---\n\n---\n\nA rule, then text.\n\n---\n').warnings).toEqual([]);
  });
});

describe('problems', () => {
  test('each entry reports its own, with line and column, and the others stay readable', () => {
    const text = block('type: rule\nb: &x 1\nc: [1\nd: 3\ne:\n  - a\n   - b\n- c\nf: "x\ng: 5');
    expect(issues(text).map(issue => issue.slice(0, 16))).toEqual([
      'frontmatter 3:4 ',
      'frontmatter 4:4 ',
      'frontmatter 9:1 ',
      'frontmatter 10:4',
    ]);
    expect(issues(block('type: rule\nb:\n  - *x\n# note\n  - y\ng: 5'))).toHaveLength(1);
    const parsed = parseDocument(block('type: rule\nb: *x\ng: 5'));
    expect(parsed.kind === 'invalid' && parsed.readable).toEqual({ type: 'rule', g: 5 });
  });
  test('no more than twenty are listed', () => expect(issues(block('a\n'.repeat(50)))).toHaveLength(20));
  test.each([
    ['a lone carriage return', 'a: b\rc: d', '2:5'],
    ['a NUL', 'a: b\0', '2:5'],
    ['an escape character', 'a: "\x1b"', '2:5'],
    ['a tab before a key', '\ta: 1', '2:1'],
    ['a tab before a nested key', 'a:\n  \tb: 1', '3:3'],
    ['a tab after a dash', 'a:\n  -\tb', '3:4'],
    ['a document marker', 'a: 1\n--- x', '3:1'],
    ['a document marker before a key', '--- a: 1', '2:1'],
    ['a document end', 'a: 1\n...', '3:1'],
    ['a directive', '%YAML 1.2', '2:1'],
    ['an explicit key', '? a', '2:1'],
    ['a comment cutting off a continuation', 'a: b # c\n  d', '3:3'],
    ['a comment line inside wrapped text', 'a: b\n  # c\n  d', '4:3'],
    ['a list item among keys', 'a: 1\n- b', '3:1'],
    ['a key among list items', 'a:\n  - b\n  c: 1', '4:3'],
    ['an item deeper than its list', 'a:\n - b: 1\n   - c', '4:4'],
    ['a key left of the first one', '  a: 1\nb: 2', '3:1'],
    ['a key deeper than the first one', 'a: 1\n  b: 2', '3:4'],
    ['text after a flow list', 'x_usage: [name] then a date', '2:17'],
    ['a pair in a list', 'a: [b: c]', '2:6'],
    ['a flow map without a colon', 'a: {b}', '2:6'],
    ['a flow list closed by a brace', 'a: [b}', '2:6'],
    ['a flow list that runs into the next key', 'a: [b,\nc: d', '2:4'],
    ['a quote that runs into the next key', 'a: "b\nc: d"', '2:4'],
    ['a quoted key without a colon', '"a" b: 1', '2:1'],
    ['a header with text', 'a: > b', '2:6'],
    ['a header with a digit too many', 'a: |22\n  b', '2:6'],
    ['a wide blank line before block text', 'a: |\n    \n  b', '4:1'],
    ['a duplicate in a nested map', 'a:\n  b: 1\n  b: 2', '4:3'],
    ['a duplicate in a flow map', 'a: {b: 1, "b": 2}', '2:11'],
    ['a duplicate of a quoted key', 'a: 1\n"a": 2', '3:1'],
    ['a lone surrogate', 'a: \ud800', '2:4'],
    ['an escaped lone surrogate', 'a: "\\ud800"', '2:4'],
    ['a wrapped text with an invalid escape', 'a: "b\\q\n  c"', '2:4'],
    ['a wrapped text with a key in it', 'a: b: c\n  d', '2:5'],
  ])('%s is refused at its place', (_name, frontmatter, place) => {
    const [first, ...rest] = issues(block(frontmatter));
    expect(first).toMatch(new RegExp(`^frontmatter ${place} .+`));
    expect(rest).toEqual([]);
  });
  test('the body key is no frontmatter key at any depth', () => {
    for (const frontmatter of ['__body__: x', 'a:\n  __body__: x', 'a: {__body__: x}', '"__body__": x']) {
      expect(issues(block(frontmatter))[0]).toMatch(/^__body__ /);
    }
  });
  test('a lone surrogate in the body is refused there', () => expect(issues('---\na: 1\n---\nx\ud800')[0]).toMatch(/^body 4:2 /));
});

describe('limits', () => {
  const nested = (levels: number): string => `a: ${'['.repeat(levels)}${']'.repeat(levels)}`;
  test('64 levels are read, 65 are refused, in brackets and in blocks', () => {
    expect(value(nested(63))).toBeDefined();
    expect(issues(block(nested(64)))[0]).toContain('deeper than 64');
    expect(value(`a:\n${'- '.repeat(63)}x`)).toBeDefined();
    expect(issues(block(`a:\n${'- '.repeat(64)}x`))[0]).toContain('deeper than 64');
    expect(issues(block(`a: ${'{a: '.repeat(100_000)}`))[0]).toContain('deeper than 64');
  });
  test('1 MiB of frontmatter is read, more is refused', () => {
    const line = `a: ${'é'.repeat((1024 * 1024 - 4) / 2)}`;
    expect(read(block(line)).data.a).toHaveLength((1024 * 1024 - 4) / 2);
    expect(issues(block(`${line}x`))[0]).toContain('1 MiB');
  });
});

describe('forms', () => {
  test.each([
    ['text on the line after its key', 'a:\n  some text\n  more\nb: 1', { a: 'some text more', b: 1 }],
    ['quoted text on the line after its key', 'a:\n  "x"\nb:\n  [1]', { a: 'x', b: [1] }],
    ['blank lines in wrapped text', 'a: b\n\n\n  c', { a: 'b\n\nc' }],
    ['blank lines and escaped breaks in quotes', 'a: "b\n\n  c \\\n  d\\  \n  e"', { a: 'b\nc d  e' }],
    ['folded single quotes', "a: 'b\n\n  c''d'", { a: "b\nc'd" }],
    ['a hash inside wrapped quotes', 'a: "b\n  # c"', { a: 'b # c' }],
    [
      'every escape',
      String.raw`a: "\0\a\b\t\n\v\f\r\e\ \"\/\\\N\_\L\P\x41\u00e9\U0001F600"`,
      { a: '\0\x07\b\t\n\v\f\r\x1b "/\\\x85\xa0\u2028\u2029Aé😀' },
    ],
    ['escaped pairs of surrogates', String.raw`a: "\ud83d\ude00"`, { a: '😀' }],
    ['kept line ends', 'a: |+\n  b\n\nc: >+\n  d\n\n\ne: 1', { a: 'b\n\n', c: 'd\n\n\n', e: 1 }],
    ['header digits and signs in any order', 'a: |2-\n   b\nc: >-1\n  d', { a: ' b', c: ' d' }],
    ['a comment after block text', 'a: |\n    b\n  # c\nd: 1', { a: 'b\n', d: 1 }],
    [
      'flow over lines with comments',
      'a: [\n  b, # c\n  # d\n  {e: f,\n   "g":h, i: },\n]\nj: 1',
      { a: ['b', { e: 'f', g: 'h', i: null }], j: 1 },
    ],
    ['wrapped text in brackets', 'a: [b\n  c, "d\n  e"]', { a: ['b c', 'd e'] }],
    ['addresses in brackets', 'a: [http://x/y, {b: c:d}]', { a: ['http://x/y', { b: 'c:d' }] }],
    ['lists of lists of maps', 'a:\n- - b: 1\n    c: 2\n  - d\n- e', { a: [[{ b: 1, c: 2 }, 'd'], 'e'] }],
    ['a list under a key of an item', 'a:\n- b:\n  - 1\n  c: 2', { a: [{ b: [1], c: 2 }] }],
    ['an empty item at the end', 'a:\n  - 1\n  -\nb:', { a: [1, null], b: null }],
    ['an item on the next line', 'a:\n  -\n    - b\n  -\n    c\n', { a: [['b'], 'c'] }],
    ['tabs between tokens', 'a:\tb\t# c\nd :\t[e,\tf]', { a: 'b', d: ['e', 'f'] }],
    ['keys with colons, spaces and quotes in them', 'a:b c: 1\nit\'s: 2\n"d: e" : 3', { 'a:b c': 1, "it's": 2, 'd: e': 3 }],
    ['blank lines of spaces and tabs', 'a: 1\n \t\n\t\nb: 2', { a: 1, b: 2 }],
    ['unicode spaces are text', 'a: \u00a0b\u00a0', { a: '\u00a0b\u00a0' }],
    ['names of prototypes in brackets', 'a: {__proto__: {constructor: 1}}', JSON.parse('{"a":{"__proto__":{"constructor":1}}}')],
  ])('%s', (_name, frontmatter, expected) => expect(value(frontmatter)).toEqual(expected));

  test('a folded description is never its indicator', () => {
    expect(value('description: >-\n  red green\n  blue\ntags: [x]')).toEqual({ description: 'red green blue', tags: ['x'] });
  });
  test('a sentence with a colon is read, with a warning naming its key', () => {
    const document = read(block('type: skill\ndescription: Keep one rule: small commits'));
    expect(document.data.description).toBe('Keep one rule: small commits');
    expect(document.warnings).toEqual([{ field: 'description', issue: expect.any(String), line: 3, column: 27 }]);
  });
  test('maps have no prototype, also in brackets and lists', () => {
    const { data } = read(block('a: {b: {}}\nc:\n  - d: 1'));
    const maps = [data, data.a, (data.a as { b: unknown }).b, (data.c as unknown[])[0]];
    expect(maps.map(map => Object.getPrototypeOf(map))).toEqual([null, null, null, null]);
  });
});
