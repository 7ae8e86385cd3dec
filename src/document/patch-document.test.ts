import { describe, expect, test } from 'vitest';
import { createDocument, type Document, parseDocument, patchDocument } from './index.ts';

const read = (text: string): Document => {
  const parsed = parseDocument(text);
  if (parsed.kind !== 'document') throw new Error(JSON.stringify(parsed));
  return parsed.document;
};
const patch = (text: string, patches: Record<string, unknown>, body: 'replace' | 'append' = 'replace'): string =>
  patchDocument(read(text), patches, body).text;
const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
  return 'accepted';
};

describe('only what changes is rewritten', () => {
  const styled = `---\n# keep: reviewed by J\ntags: [a, "b c"]   # inline\ncode: '007'\n\nz_last: 1\na_first: 2\n---\n\n\nBody\n`;

  test('a changed value changes its line only', () => {
    expect(patch(styled, { a_first: 3 })).toBe(styled.replace('a_first: 2', 'a_first: 3'));
    expect(patch(styled, { code: '008' })).toBe(styled.replace("'007'", '"008"'));
  });
  test('equal values keep their bytes, whatever their style', () => {
    const document = read(styled);
    expect(patchDocument(document, { tags: ['a', 'b c'], code: '007', z_last: 1 }, 'replace')).toBe(document);
    expect(patchDocument(document, {}, 'replace')).toBe(document);
  });
  test("a comment on the key's line stays", () => {
    expect(patch(styled, { tags: 'x' })).toBe(styled.replace('[a, "b c"]', 'x'));
    expect(patch(styled, { tags: ['x'] })).toBe(styled.replace('tags: [a, "b c"]   # inline', 'tags:   # inline\n  - x'));
    expect(patch('---\nk: # why\n  - a\n---\n', { k: 1 })).toBe('---\nk: 1 # why\n---\n');
    expect(patch('---\nk: >- # why\n  a\n---\n', { k: 'b' })).toBe('---\nk: b # why\n---\n');
  });
  test('numbers, codes and long lines of other keys keep their bytes', () => {
    const long = 'word '.repeat(60);
    const text = `---\nzip: 07885\nid: 0049\nversion: 1.10\nbig: 12345678901234567890\nsci: 1e5\ndescription: ${long}[[Long Link|alias]]\nstatus: a\n---\n`;
    expect(patch(text, { status: 'active' })).toBe(text.replace('status: a\n', 'status: active\n'));
    expect(read(text).data).toMatchObject({ zip: '07885', id: '0049', version: 1.1, big: '12345678901234567890', sci: '1e5' });
  });
  test('new keys go before the closing fence, in the order of the patch, after comments that stand there', () => {
    expect(patch('---\na: 1\n# end\n\n---\n', { z: 1, b: [1], 7: null })).toBe('---\na: 1\n# end\n\n"7": null\nz: 1\nb:\n  - 1\n---\n');
    expect(patch('---\n---', { a: 1 })).toBe('---\na: 1\n---');
  });
  test('a key keeps its place when a block becomes a line and a line becomes a block', () => {
    const text = '---\na:\n  - 1\n\n  # inside\n  - 2\n# gap\nb: |+\n  x\n\nc: 1\n---\n';
    expect(patch(text, { a: 0 })).toBe('---\na: 0\n# gap\nb: |+\n  x\n\nc: 1\n---\n');
    expect(patch(text, { b: { x: [] } })).toBe('---\na:\n  - 1\n\n  # inside\n  - 2\n# gap\nb:\n  x: []\nc: 1\n---\n');
  });
  test('null is stored, not a deletion', () => expect(patch('---\na: 1\nb: 2\n---\n', { a: null })).toBe('---\na: null\nb: 2\n---\n'));
});

describe('line endings', () => {
  const crlf = '\ufeff---\r\n# c\r\ntype: rule\r\nzip: 07885\r\n---\r\n\r\n\r\nBody\r\n';

  test('a file with CRLF and a byte order mark gains CRLF lines and keeps every other byte', () => {
    expect(patch(crlf, { z: 1 })).toBe(crlf.replace('07885\r\n', '07885\r\nz: 1\r\n'));
    expect(patch(crlf, { type: ['a', 'b'] })).toBe(crlf.replace('type: rule', 'type:\r\n  - a\r\n  - b'));
    let text = crlf;
    for (const status of ['a', 'b', 'c']) text = patch(text, { status });
    expect(text).toBe(crlf.replace('07885\r\n', '07885\r\nstatus: c\r\n'));
  });
  test('each line of a mixed file keeps its own ending', () => {
    expect(patch('---\na: 1\r\nb: 2\nc: 3\r\n---\nx\r\n', { a: 9, b: [8], d: 4 })).toBe('---\na: 9\r\nb:\n  - 8\nc: 3\r\nd: 4\n---\nx\r\n');
  });
  test('values hold line feeds only', () => expect(read(crlf.replace('rule', '|\r\n  a\r\n  b')).data.type).toBe('a\nb\n'));
});

describe('the body', () => {
  test('is replaced by exactly what is given', () => {
    expect(patch('---\na: 1\n---\n\n\nold', { __body__: '\nnew' })).toBe('---\na: 1\n---\n\nnew');
    expect(patch('---\na: 1\n---\nold', { __body__: '' })).toBe('---\na: 1\n---\n');
    expect(read(patch('---\na: 1\n---', { __body__: '---\nb: 2\n---\n' })).data).toEqual({ a: 1 });
  });
  test('a closing fence without a line end gets one before anything follows it', () => {
    expect(patch('---\na: 1\n---', { __body__: 'x' })).toBe('---\na: 1\n---\nx');
    expect(patch('---\r\na: 1\r\n--- ', { __body__: 'x' }, 'append')).toBe('---\r\na: 1\r\n--- \r\nx');
    expect(patch('---\na: 1\n---', { __body__: '' })).toBe('---\na: 1\n---');
    expect(patch('---\na: 1\n---', { __body__: '' }, 'append')).toBe('---\na: 1\n---');
  });
  test('is appended to without touching what is there', () => {
    expect(patch('---\na: 1\n---\nold', { __body__: 'new' }, 'append')).toBe('---\na: 1\n---\nold\nnew');
    expect(patch('---\na: 1\n---\nold  \n\n', { __body__: '\nnew\n' }, 'append')).toBe('---\na: 1\n---\nold  \n\n\nnew\n');
    expect(patch('---\r\na: 1\r\n---\r\nold', { __body__: 'new' }, 'append')).toBe('---\r\na: 1\r\n---\r\nold\r\nnew');
    expect(patch('---\na: 1\n---\nold', { __body__: '' }, 'append')).toBe('---\na: 1\n---\nold');
    expect(patch('---\na: 1\n---\n', { __body__: 'new' }, 'append')).toBe('---\na: 1\n---\nnew');
    expect(patch('---\na: 1\n---\nold', { __body__: 'new', a: 2 }, 'append')).toBe('---\na: 2\n---\nold\nnew');
  });
});

describe('what a patch cannot hold', () => {
  const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  test.each([
    ['an empty key', { '': 1 }],
    ['a key with a line break', { 'x: 1\ntype': 1 }],
    ['a key with a separator', { 'a\u2028b': 1 }],
    ['a key with a control character', { 'a\u0085': 1 }],
    ['a key with a lone surrogate', { '\ud800': 1 }],
    ['such a key deeper down', { a: [{ 'b\n': 1 }] }],
    ['a lone surrogate', { a: ['\udc00'] }],
    ['an unsafe integer', { a: { b: 2 ** 53 } }],
    ['a number that is not finite', { a: Number.NaN }],
    ['undefined', { a: undefined }],
    ['a date', { a: new Date(0) }],
    ['a bigint', { a: 1n }],
    ['a function', { a: () => 1 }],
    ['a hole', { a: new Array(1) }],
    ['more than 64 levels', { a: deep(64) }],
    ['a body that is no string', { __body__: 1 }],
    ['a body with a lone surrogate', { __body__: '\ud800' }],
  ])('%s is an invalid request', (_name, patches) => {
    expect(refusal(() => patch('---\na: 1\n---\n', patches))).toMatch(/^invalid_request: .*\.$/);
  });
  test('an array in place of the patches is an invalid request', () => {
    expect(refusal(() => patch('---\n---\n', [] as never))).toMatch(/^invalid_request/);
  });
  test('63 levels under a key are held and read back', () => expect(read(patch('---\n---\n', { a: deep(63) })).data.a).toEqual(deep(63)));
  test('the body key deeper down or in a new document is a validation failure', () => {
    expect(refusal(() => patch('---\n---\n', { a: { __body__: 1 } }))).toMatch(/^validation_failed/);
    expect(refusal(() => createDocument({ __body__: 'x' }, ''))).toMatch(/^validation_failed/);
  });
  test('more than 1 MiB of frontmatter is a validation failure, a large body is not', () => {
    const large = 'é'.repeat(512 * 1024);
    expect(refusal(() => patch('---\na: 1\n---\n', { b: large }))).toMatch(/^validation_failed: .*1 MiB/);
    expect(read(patch('---\na: 1\n---\n', { b: large.slice(8), __body__: large })).body).toBe(large);
  });
});

describe('values and keys are data', () => {
  test('fences, keys and comments in them stay text', () => {
    const patches = {
      m: [[{ a: 1 }], [2]],
      n: [{ a: { x: 1 }, b: 2 }],
      s: 'x\n---\ny',
      'a: b': 1,
      '# c': '# c',
      '---': '---',
      '- x': '- x',
    };
    const after = patchDocument(read('---\ntype: rule\n---\nBody\n'), patches, 'replace');
    expect(after.data).toEqual(Object.assign(Object.create(null), { type: 'rule', ...patches }));
    expect(after.body).toBe('Body\n');
  });
  test('`__proto__` and `constructor` are ordinary keys at every depth', () => {
    const patches = JSON.parse('{"__proto__":{"__proto__":1,"constructor":[{"__proto__":2}]},"constructor":3,"toString":4}');
    const prototypeKey = '__proto__' as string;
    const { data } = patchDocument(read('---\na: 1\n---\n'), patches, 'replace');
    expect(JSON.stringify(data)).toBe('{"a":1,"__proto__":{"__proto__":1,"constructor":[{"__proto__":2}]},"constructor":3,"toString":4}');
    expect(Object.getPrototypeOf(data)).toBeNull();
    expect(Object.getPrototypeOf(data[prototypeKey])).toBeNull();
    expect((data as { type?: unknown }).type).toBeUndefined();
  });
  test('-0 is stored as 0, decimals without an exponent', () => {
    expect(createDocument({ a: -0, b: 1e-7, c: -1.5e-10, d: 0.1 + 0.2, e: 123456789012345.6, f: 5e-324 }, '')).toBe(
      `---\na: 0\nb: 0.0000001\nc: -0.00000000015\nd: 0.30000000000000004\ne: 123456789012345.6\nf: 0.${'0'.repeat(323)}5\n---\n`,
    );
  });
  test('lists and maps nest as blocks, maps in a list of lists as one line', () => {
    const value = [[1, ['x']], [{ a: 'b' }], [], {}, { a: [1, { b: {} }], c: { d: [] } }];
    expect(createDocument({ k: value }, 'B')).toBe(
      '---\nk:\n  - - 1\n    - - x\n  - [{"a": "b"}]\n  - []\n  - {}\n  - a:\n      - 1\n      - b: {}\n    c:\n      d: []\n---\nB',
    );
    expect(JSON.parse(JSON.stringify(read(createDocument({ k: value }, 'B')).data.k))).toEqual(value);
  });
});
