import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQuery } from './parse-query.ts';
import { makeSnippet } from './snippet.ts';

const marked = (texts: readonly string[], query: string): string => {
  const { text, ranges } = makeSnippet(texts, parseQuery(query).words);
  let shown = '';
  let at = 0;
  for (const { start, end } of ranges) {
    shown += `${text.slice(at, start)}[${text.slice(start, end)}]`;
    at = end;
  }
  return shown + text.slice(at);
};

test.each([
  ['The meeting moved.', 'meeting', 'The [meeting] moved.'],
  ['Über die Straße gehen', 'strasse', 'Über die [Straße] gehen'],
  ['un CAFE\u0301 noir', 'café', 'un [CAFÉ] noir'],
  ['会議は来週の火曜に変更', '火曜', '会議は来週の[火曜]に変更'],
  ['记得修改密码', '码', '记得修改密[码]'],
  ['การประชุมเลื่อนไป', 'ประชุม', 'การ[ประชุม]เลื่อนไป'],
  ['अगली बैठक मंगलवार', 'बैठक', 'अगली [बैठक] मंगलवार'],
  ['سيُعقد الاجتماع القادم', 'سيعقد', '[سيُعقد] الاجتماع القادم'],
  ['use prefer-atomic-writes here', 'atomic-writes', 'use prefer-[atomic-writes] here'],
  ['call parseDocument()', 'document', 'call parse[Document]()'],
  ['categories and cats', 'cat', '[categories] and [cats]'],
  ['say "a b" and b a', '"a b"', 'say "[a b]" and b a'],
  ['line one\nline two', 'two', 'line one line [two]'],
])('in %j the words of %j are marked', (text, query, shown) => {
  expect(marked([text], query)).toBe(shown);
});

test('of a long text the stretch with most of the words is shown, cut at words', () => {
  const filler = 'Some other words stand here. '.repeat(40);
  const shown = marked([`${filler}An apple. ${filler}A pear beside an apple, at last. ${filler}`], 'apple pear');
  expect(shown).toContain('[pear] beside an [apple]');
  expect(shown).toMatch(/^…(?:Some|other|words|stand|here).*(?:Some|other|words|stand|here\.)…$/);
  expect(shown.length).toBeLessThan(260);
});

test('a text whose first word would be parted begins with it', () => {
  const rest = ' and so it goes on'.repeat(20);
  expect(marked([`Last checked and tested on a sunny Monday, wheel${rest}`], 'wheel')).toMatch(/^Last checked and/);
});

test('the description is shown where the body has none of the words, and the body where it has more', () => {
  expect(marked(['body text', 'about apples'], 'apples')).toBe('about [apples]');
  expect(marked(['apples and pears', 'about apples'], 'apples pears')).toBe('[apples] and [pears]');
  expect(marked(['body text', 'description'], 'title')).toBe('description');
  expect(marked(['', ''], 'title')).toBe('');
});

test('a snippet is bounded, and no cut and no mark parts a character, whatever the text', () => {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const characters = fc.constantFrom('a', ' ', 'é', 'e\u0301', '会', 'ก', 'ำ', '👩‍👩‍👧', '🇩🇪', 'नि', 'ß', 'ﬁ', '\n');
  const query = fc.constantFrom('a', 'aa', 'e', '会', '会会', 'ก', '👩', 'ss', 'नि', '🇩🇪');
  fc.assert(
    fc.property(fc.array(characters, { minLength: 1, maxLength: 600 }), query, (parts, asked) => {
      const text = parts.join('');
      const snippet = makeSnippet([text], parseQuery(asked).words);
      expect(snippet.text.length).toBeLessThanOrEqual(460);
      const inner = snippet.text.replace(/^…|…$/g, '');
      const whole = text.normalize('NFC').replace(/\s/g, ' ');
      const at = whole.indexOf(inner);
      expect(at).toBeGreaterThanOrEqual(0);
      const edges = new Set(Array.from(graphemes.segment(snippet.text), ({ index }) => index)).add(snippet.text.length);
      let last = -1;
      for (const { start, end } of snippet.ranges) {
        expect(start).toBeGreaterThan(last);
        expect(end).toBeGreaterThan(start);
        expect(edges.has(start) && edges.has(end)).toBe(true);
        last = end;
      }
    }),
    { numRuns: 150 },
  );
});
