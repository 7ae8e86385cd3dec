import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText } from './fold-text.ts';
import { rewritingMixedRuns } from './mixed-runs.ts';
import { searchTokens } from './search-tokens.ts';
import { indexText, phraseOfPart, tokensOf } from './tokens.ts';
import { withoutArticle, wordParts } from './word-parts.ts';

const tokens = (text: string) => tokensOf(foldText(text)).map(token => token.text);

test.each([
  ['Straße', 'strasse'],
  ['CAFÉ', 'cafe'],
  ['cafe\u0301', 'cafe'],
  ['Ærø Łódź', 'aero lodz'],
  ['İstanbul ISPARTA ısı', 'istanbul isparta isi'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
  ['ещё Ёлка', 'еще елка'],
  ['й', 'й'],
  ['ｶﾞｲﾄﾞ ＡＢＣ', 'ガイド abc'],
  ['مُحَمَّد مـحـمـد', 'محمد محمد'],
  ['أحمد إيران آلة', 'احمد ايران اله'],
  ['شَرِكة مستشفى', 'شركه مستشفي'],
  ['כָּתַב', 'כתב'],
  ['हिन्दी की किताब', 'हिन्दी की किताब'],
  ['ภาษาไทยที่นี่', 'ภาษาไทยที่นี่'],
  ['٢٠٢٦ ۱۴ २०२६', '2026 14 2026'],
  ['co\u00adoperate zero\u200bwidth', 'cooperate zerowidth'],
])('%s is folded to %s', (text, folded) => {
  expect(foldText(text)).toBe(folded.normalize('NFC'));
});

test('folding twice is folding once, and never leaves a lone surrogate', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), text => {
      const once = foldText(text);
      expect(once.isWellFormed()).toBe(true);
      expect(foldText(once)).toBe(once);
    }),
    { numRuns: 300 },
  );
});

test('a letter with endless marks is folded in time, whatever keeps the marks apart, and folding it twice is folding it once', () => {
  for (const marks of ['\u0301\u0327', '\u0301\u200b\u0327\u200b', '\u064e\u0650\u0640', '\u093e\u094d\u093c']) {
    const once = foldText(`\u0915${marks.repeat(100_000)} end`);
    expect(once.length).toBeLessThan(100);
    expect(once.endsWith(' end')).toBe(true);
    expect(foldText(once)).toBe(once);
  }
});

test('words of spaced scripts stand alone, marks stay in Hindi words', () => {
  expect(tokens("Don't use OPS-731, v7.25 or a:b #tag")).toEqual(['don', 't', 'use', 'ops', '731', 'v7', '25', 'or', 'a', 'b', 'tag']);
  expect(tokens('हिन्दी में बैठक')).toEqual(['हिन्दी', 'में', 'बैठक']);
  expect(tokens('party 🎉👩‍🚀!')).toEqual(['party', '🎉', '👩', '🚀']);
});

test('scripts without spaces give pairs of characters and the last one, and Latin words glued to them stand alone', () => {
  expect(tokens('请在lint-rules里更新')).toEqual(['请在', '在', 'lint', 'rules', '里更', '更新', '新']);
  expect(tokens('𠮷野家')).toEqual(['𠮷野', '野家', '家']);
});

test('every part of a run without spaces is a phrase of its tokens, or the beginning of one', () => {
  const characters = fc.array(fc.constantFrom('会', '議', 'は', '来', '週', '한', '국', 'ภ', 'า', '𠮷'), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(characters, fc.nat(), fc.nat(), (run, first, second) => {
      const [from, to] = [first % run.length, second % run.length].sort((left, right) => left - right) as [number, number];
      const { tokens: wanted, prefix } = phraseOfPart(run.slice(from, to + 1).join(''));
      const found = tokens(run.join(''));
      const at = found.findIndex((_, start) => wanted.every((token, offset) => matches(found[start + offset] ?? '', token, prefix)));
      expect(at).toBeGreaterThanOrEqual(0);
    }),
  );
});

const matches = (token: string, wanted: string, prefix: boolean) => (prefix ? token.startsWith(wanted) : token === wanted);

test('tokens name their places in the folded text', () => {
  const folded = foldText('Größe: 会議 v2');
  for (const token of tokensOf(folded)) expect(folded.slice(token.start, token.end)).toBe(token.text);
});

test('the index takes ASCII as it is and everything else as tokens', () => {
  expect(indexText('Plain Text-1')).toBe('Plain Text-1');
  expect(indexText('„Größe“ — 会議')).toBe('grosse  会議 議');
});

test('parts of camel case names are found beside the whole', () => {
  expect(wordParts('parseHTTPHeader and GitHub2Go')).toEqual(['parse', 'http', 'header', 'git', 'hub', '2', 'go']);
  expect(wordParts(`data ${'aB'.repeat(200)}`)).toEqual([]);
});

test('an Arabic word is found without its article', () => {
  expect(withoutArticle('الاجتماع')).toBe('اجتماع');
  expect(withoutArticle('والاجتماع')).toBe('اجتماع');
  expect(withoutArticle('الي')).toBeNull();
});

test('search tokens hold identifiers whole and in parts, sorted, each once', () => {
  expect(searchTokens(['Use prefer-atomic-writes and base_hash 7.25', 'parseDocument'])).toEqual(
    [
      'use',
      'prefer-atomic-writes',
      'prefer',
      'atomic',
      'writes',
      'and',
      'base_hash',
      'base',
      'hash',
      '7.25',
      '7',
      '25',
      'parsedocument',
      'parse',
      'document',
    ].sort(),
  );
});

test('the index holds the same tokens whether a text is folded whole or in pieces', () => {
  const pieces = fc.constantFrom(
    'a',
    'B',
    '1',
    ' ',
    '-',
    'é',
    'e\u0301',
    '\u0301',
    'ß',
    '会',
    '議',
    '가',
    'ﬁ',
    '½',
    '…',
    'م',
    '🎉',
    '\u00a0',
    'ı',
    '\ud800',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), parts => {
      const text = parts.join('');
      const indexed = indexText(text)
        .toLowerCase()
        .split(/[\0-\x2f\x3a-\x60\x7b-\x7f]+/)
        .filter(token => token !== '');
      expect(indexed).toEqual(tokens(text));
    }),
    { numRuns: 500 },
  );
});

test('runs that hold anything beyond ASCII are rewritten with the letters that touch them, and the rest is copied', () => {
  const rewrite = rewritingMixedRuns(
    run => `<${run}>`,
    ascii => ascii.toUpperCase(),
  );
  expect(rewrite('one two-Größe, x会議y')).toBe('ONE TWO-<Größe>, <x会議y>');
  expect(rewrite('')).toBe('');
});
