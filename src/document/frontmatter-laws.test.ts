import fc from 'fast-check';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { createDocument, type Document, parseDocument, patchDocument } from './index.ts';

const read = (text: string): Document => {
  const parsed = parseDocument(text);
  if (parsed.kind !== 'document') throw new Error(JSON.stringify(parsed));
  return parsed.document;
};
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const nasty = fc.constantFrom(
  ...['', ' ', 'null', '~', 'True', 'yes', 'y', '0', '-0', '007', '1e3', '.5', '0x1F', '12:30', '2026-05-16', '2026-05-16T14:00:00Z'],
  ...[
    '---',
    '...',
    '- a',
    '? a',
    ': a',
    'a:',
    'a: b',
    'a #b',
    '#a',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    '>-',
    '%a',
    '@a',
    '`a`',
    '[a]',
    '{a: 1}',
    'a, b',
  ],
  ...[
    '"',
    "'",
    "it's",
    '\\',
    '\\n',
    '\n',
    'a\n---\nb',
    '\r\n',
    '\t',
    'a\t',
    ' a',
    'a ',
    '\ufeff',
    '\u2028',
    '\u0085',
    '\u007f',
    '\0',
    '\u00a0',
    'é',
    '日本',
    '😀',
    '<<',
    '=',
  ],
  ...['__proto__', 'constructor', 'http://x/y', 'a#b', '1_000', '$5', '/a/b.md', '.', '..', './x', 'NaN', '1.2.3', '+1', '1,000', '... a'],
);
const text = fc.oneof(
  nasty,
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.array(nasty, { maxLength: 4 }).map(parts => parts.join('')),
);
const key = text.filter(candidate => candidate !== '' && candidate !== '__body__' && !/[\0-\x1f\x7f-\x9f\u2028\u2029]/.test(candidate));
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter(n => !Number.isInteger(n) || Number.isSafeInteger(n)),
);
const toMap = (entries: (readonly [string, unknown])[]): Record<string, unknown> => {
  const map: Record<string, unknown> = Object.create(null);
  for (const [name, member] of entries) map[name] = member;
  return map;
};
const { value } = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constant(null), fc.boolean(), number, text, tie('list'), tie('map')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  map: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(toMap),
}));
const map = fc.array(fc.tuple(key, value), { maxLength: 5 }).map(toMap);

// -0 is stored as 0.
const stored = (data: unknown): unknown => plain(data);

describe('canonical documents (§4.5)', () => {
  test('read back equal here and in two YAML readers', () => {
    fc.assert(
      fc.property(map, text, (data, body) => {
        const document = createDocument(data, body);
        const parsed = read(document);
        expect(plain(parsed.data)).toEqual(stored(data));
        expect(parsed.body).toBe(body);
        expect(parsed.warnings.filter(({ field }) => field !== 'body')).toEqual([]);
        const frontmatter = document.slice(4, document.length - body.length - 4);
        expect(plain(parseYaml(frontmatter) ?? {})).toEqual(stored(data));
        // js-yaml refuses the key `__proto__` in some forms and knows no key order; values must agree.
        if (!frontmatter.includes('__proto__')) expect(plain(load(frontmatter) ?? {})).toEqual(stored(data));
      }),
      { numRuns: 500 },
    );
  });
  test('are a fixed point', () => {
    fc.assert(
      fc.property(map, data => {
        const once = createDocument(data, '');
        expect(createDocument(read(once).data, '')).toBe(once);
      }),
    );
  });
});

// Entries as people write them, each with the key it defines.
const entries = [
  'k: plain',
  'k: plain # note',
  "k: 'single'",
  'k: "double \\u00e9"',
  'k:',
  'k: 007',
  'k: [a, "b c"]   # inline',
  'k: [a,\n  b]',
  'k: {a: 1}',
  'k:\n  - a\n\n  # inside\n  - b',
  'k:\n- a\n- b: 1\n  c: 2',
  'k:\n    a: 1\n    b:\n      - x',
  'k: >-\n  folded\n  text',
  'k: |\n  literal\n    text',
  'k: |+\n  kept\n\n',
  'k: >\n  a\n\n  b',
  'k: wrapped\n  text',
  'k: "wrapped\n  quotes"',
  '"k" : quoted key',
  'k: lenient: text',
  'k: @x',
];
const gap = fc.constantFrom('', '\n', '# comment\n', '  # indented comment\n', '\n\n# a: b\n', ' \t\n');
const source = fc
  .record({
    chosen: fc.array(fc.tuple(gap, fc.constantFrom(...entries)), { maxLength: 6 }),
    last: gap,
    body: fc.constantFrom('', '\n', 'Body', '\n\nBody\n---\nx: 1\n', 'no end'),
    crlf: fc.boolean(),
    mark: fc.boolean(),
  })
  .map(({ chosen, last, body, crlf, mark }) => {
    const lines = chosen.map(([before, entry], index) => `${before}${entry.replace(/^("?)k/, `$1k${index}`)}\n`);
    const document = `---\n${lines.join('')}${last}---\n${body}`;
    return (mark ? '\ufeff' : '') + (crlf ? document.replaceAll('\n', '\r\n') : document);
  });
const patches = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.integer({ min: 0, max: 6 }).map(index => `k${index}`),
        key,
      ),
      value,
    ),
    { maxLength: 4 },
  )
  .map(toMap);

/** The lines of each top-level entry and of the gaps between them, by the layout. */
const pieces = (document: Document): { key: string | null; text: string }[] => {
  const result: { key: string | null; text: string }[] = [];
  let from = 0;
  for (const entry of document.layout.entries) {
    result.push(
      { key: null, text: document.text.slice(from, entry.start) },
      { key: entry.key, text: document.text.slice(entry.start, entry.end) },
    );
    from = entry.end;
  }
  result.push({ key: null, text: document.text.slice(from, document.layout.fenceStart) });
  return result;
};

describe('patched documents', () => {
  test('hold the merged data, and every byte outside the changed entries is kept', () => {
    fc.assert(
      fc.property(source, patches, (original, changes) => {
        const before = read(original);
        const after = patchDocument(before, changes, 'replace');
        expect(plain(after.data)).toEqual(plain(Object.assign(Object.create(null), before.data, changes)));
        expect(after.body).toBe(before.body);
        expect(read(after.text).data).toEqual(after.data);
        let rest = after.text;
        for (const piece of pieces(before)) {
          const kept = piece.key === null || JSON.stringify(plain(after.data[piece.key])) === JSON.stringify(plain(before.data[piece.key]));
          if (kept) expect(rest.startsWith(piece.text)).toBe(true);
          rest = kept ? rest.slice(piece.text.length) : rest.slice(pieces(after).find(({ key: name }) => name === piece.key)?.text.length);
        }
        expect(rest.endsWith(original.slice(before.layout.fenceStart))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('an absent key with a one-line value adds exactly one line, a changed one changes exactly one', () => {
    fc.assert(
      fc.property(source, fc.oneof(number, text, fc.boolean()), (original, scalar) => {
        const before = read(original);
        const ending = before.lineEnding;
        const added = patchDocument(before, { absent: scalar }, 'replace').text;
        const inserted = added.slice(before.layout.fenceStart, added.length - (original.length - before.layout.fenceStart));
        expect(added.replace(inserted, () => '')).toBe(original);
        expect(inserted).toMatch(/^absent: [^\r\n]+\r?\n$/);
        expect(inserted.endsWith(ending)).toBe(true);
        const changed = patchDocument(read(added), { absent: 'other text' }, 'replace').text;
        expect(changed).toBe(
          `${original.slice(0, before.layout.fenceStart)}absent: other text${ending}${original.slice(before.layout.fenceStart)}`,
        );
      }),
    );
  });

  test('appending keeps the old body as a prefix', () => {
    fc.assert(
      fc.property(source, text, (original, addition) => {
        const after = patchDocument(read(original), { __body__: addition }, 'append');
        expect(after.text.startsWith(original)).toBe(true);
        expect(after.body.endsWith(addition)).toBe(true);
        expect(after.text.length - original.length - addition.length).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('CRLF and LF files read alike', () => {
    fc.assert(
      fc.property(source, original => {
        const unified = original.replace('\ufeff', '').replaceAll('\r\n', '\n');
        expect(read(original).data).toEqual(read(unified).data);
        expect(read(original).warnings.map(({ line }) => line)).toEqual(read(unified).warnings.map(({ line }) => line));
      }),
    );
  });
});

test('any text is read or refused, never a crash, and a refusal has a place', () => {
  const token = fc.oneof(
    fc.constantFrom(
      'k: ',
      'a',
      '- ',
      '\n',
      '\n  ',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      ', ',
      ': ',
      ' #',
      '|',
      '>',
      '\\',
      '\t',
      '\r',
      '\r\n',
      '---',
      '?',
      '&',
    ),
    nasty,
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 20 }), tokens => {
      const parsed = parseDocument(`---\n${tokens.join('')}\n---\n`);
      if (parsed.kind === 'invalid')
        for (const { line, column } of parsed.issues) expect(Math.min(line ?? 0, column ?? 0)).toBeGreaterThan(0);
      if (parsed.kind === 'document') expect(patchDocument(parsed.document, { zz: ['x'] }, 'replace').data.zz).toEqual(['x']);
    }),
    { numRuns: 1000 },
  );
});
