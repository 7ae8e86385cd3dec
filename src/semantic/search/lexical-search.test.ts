import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { countFacets } from './facets.ts';
import { openIndex, ruleText } from './index-fixture.ts';
import { searchWords } from './lexical-search.ts';
import { parseQuery } from './parse-query.ts';
import { createSearchProjection } from './search-projection.ts';
import type { SearchScope } from './search-scope.ts';

const everything: SearchScope = { private: true };

const finder = (files: Readonly<Record<string, string>>) => {
  const index = openIndex(createSearchProjection, files);
  const answer = (query: string, scope: SearchScope = everything) =>
    searchWords(index.db, { query: parseQuery(query), scope, offset: 0, limit: 50, feedback: true });
  return { ...index, answer, find: (query: string, scope?: SearchScope) => answer(query, scope).hits.map(hit => hit.path) };
};

const bodies: Readonly<Record<string, string>> = {
  'en.md': ruleText(
    'Office hours',
    "The meeting moved to Tuesday. Don't forget OPS-731 and use prefer-atomic-writes since version 7.25; call parseDocument(a:b).",
  ),
  'de.md': ruleText('Größere Änderungen', 'Die Straße vor dem Büro wird gesperrt. Bitte über die Fußgängerzone ausweichen.'),
  'es.md': ruleText('Reunión', 'La reunión del próximo martes será en el café de la señora Núñez.'),
  'ja.md': ruleText('会議の予定', '会議は来週の火曜に変更。ガイドを読んでください。'),
  'zh.md': ruleText('安全', '记得修改密码。请在lint-rules里更新配置。'),
  'th.md': ruleText('ประชุม', 'การประชุมเลื่อนไปวันอังคารที่ห้องใหญ่'),
  'ar.md': ruleText('الاجتماع', 'سيُعقد الاجتماع القادم يوم الثلاثاء في المكتب، والمدير سيحضر.'),
  'hi.md': ruleText('बैठक', 'अगली बैठक मंगलवार को हिन्दी विभाग में होगी।'),
  'ko.md': ruleText('회의', '다음 회의는 화요일에 열립니다.'),
  'tr.md': ruleText('Işık', 'ISPARTA ve İstanbul arasında ışıklar söndü.'),
  'emoji.md': ruleText('Party', 'Cake 🎉 and 👩‍🚀 under the 🇩🇪 flag'),
};

describe('words of every script', () => {
  const { find, db } = finder(bodies);
  afterAll(() => void db.close());

  test.each([
    ['meeting tuesday', 'en.md'],
    ['OPS-731', 'en.md'],
    ['ops 731', 'en.md'],
    ['prefer-atomic-writes', 'en.md'],
    ['prefer_atomic_writes', 'en.md'],
    ['atomic', 'en.md'],
    ["don't", 'en.md'],
    ['don’t', 'en.md'],
    ['7.25', 'en.md'],
    ['a:b', 'en.md'],
    ['parseDocument', 'en.md'],
    ['parsedocument', 'en.md'],
    ['document', 'en.md'],
    ['#tuesday', 'en.md'],
    ['"moved to tuesday"', 'en.md'],
    ['tues', 'en.md'],
    ['strasse', 'de.md'],
    ['STRAßE', 'de.md'],
    ['Fussgangerzone', 'de.md'],
    ['buro', 'de.md'],
    ['cafe nunez', 'es.md'],
    ['reunion', 'es.md'],
    ['próximo martes', 'es.md'],
    ['会議', 'ja.md'],
    ['来週の火曜', 'ja.md'],
    ['会議はいつ', 'ja.md'],
    ['ｶﾞｲﾄﾞ', 'ja.md'],
    ['変', 'ja.md'],
    ['更', 'ja.md zh.md'],
    ['密码', 'zh.md'],
    ['码', 'zh.md'],
    ['修改密码', 'zh.md'],
    ['lint', 'zh.md'],
    ['lint-rules', 'zh.md'],
    ['ประชุม', 'th.md'],
    ['ห้องใหญ่', 'th.md'],
    ['วันอังคาร', 'th.md'],
    ['اجتماع', 'ar.md'],
    ['الإجتماع', 'ar.md'],
    ['سيعقد', 'ar.md'],
    ['مدير', 'ar.md'],
    ['बैठक', 'hi.md'],
    ['हिन्दी', 'hi.md'],
    ['मंगलवार', 'hi.md'],
    ['회의', 'ko.md'],
    ['isparta', 'tr.md'],
    ['istanbul', 'tr.md'],
    ['ışık', 'tr.md'],
    ['🎉', 'emoji.md'],
    ['👩‍🚀', 'emoji.md'],
    ['🇩🇪', 'emoji.md'],
  ])('%s finds %s', (query, path) => {
    expect(find(query).toSorted()).toEqual(path.split(' '));
  });

  test.each([['ehm'], ['"tuesday moved"'], ['meeting -tuesday'], ['हिन्द्व'], ['密改'], ['7.26'], ['ops-732']])('%s finds nothing', query => {
    expect(find(query)).toEqual([]);
  });
});

test('a word as it is asked for ranks above words that only begin with it, and titles above bodies', () => {
  const { find } = finder({
    'a.md': ruleText('Other', 'the catalogue of categories, and a cat'),
    'b.md': ruleText('Other', 'the catalogue of categories, and a dog'),
    'c.md': ruleText('Cat', 'nothing here'),
  });
  expect(find('cat')).toEqual(['c.md', 'a.md', 'b.md']);
  expect(find('cat ')).toEqual(['c.md', 'a.md']);
});

test('where no document has all the words, those with more of them come first', () => {
  const { answer } = finder({
    'one.md': ruleText('One', 'zebra zebra zebra'),
    'two.md': ruleText('Two', 'zebra and some yellow, in a longer text with many other things in it'),
    'none.md': ruleText('None', 'nothing'),
  });
  const found = answer('zebra yellow xylophone');
  expect(found.mode).toBe('any');
  expect(found.hits.map(hit => [hit.path, hit.matched])).toEqual([
    ['two.md', 2],
    ['one.md', 1],
  ]);
  expect(answer('zebra yellow').mode).toBe('all');
});

test('aliases, semantic_id and slug find their document', () => {
  const { find } = finder({
    'x.md': ruleText('X', 'text', ['aliases: [Great Tone, 口調]', 'semantic_id: concept.voice', 'slug: how-to-speak']),
  });
  for (const query of ['great tone', '口調', 'concept.voice', 'how-to-speak']) expect(find(query)).toEqual(['x.md']);
});

test('equal documents stand by path, and feedback only settles what is nearly equal', () => {
  const liked = ['feedback: { score: 1, positive: 20, negative: 0, samples: 20 }'];
  const { db, answer, find } = finder({
    'b.md': ruleText('Same', 'zebra'),
    'a.md': ruleText('Same', 'zebra'),
    'c.md': ruleText('Same', 'zebra', liked),
    'd.md': ruleText('Same', `${'other '.repeat(200)}zebra`, liked),
  });
  expect(find('zebra')).toEqual(['c.md', 'a.md', 'b.md', 'd.md']);
  const plain = searchWords(db, { query: parseQuery('zebra'), scope: everything, offset: 0, limit: 9, feedback: false });
  expect(plain.hits.map(hit => hit.path)).toEqual(['a.md', 'b.md', 'c.md', 'd.md']);
  expect(answer('zebra').hits.map(hit => hit.lexical)).toEqual(expect.arrayContaining(plain.hits.map(hit => hit.lexical)));
});

test('filters and facets work on what is found, and private documents are neither shown nor counted unless asked for', () => {
  const { db, find } = finder({
    'rules/a.md': ruleText('A', 'zebra', ['tags: [Zoo, "#stripes"]', 'language: de-AT', 'status: active']),
    'rules/b.md': ruleText('B', 'zebra', ['tags: [zoo]', 'locale: ja', 'status: draft']),
    'memory/m.md': ruleText('M', 'zebra', ['x_portability: tenant_private', 'tags: [secret]']),
    'note.md': 'A plain note about a zebra.',
  });
  const open: SearchScope = { private: false };
  expect(find('zebra', open).toSorted()).toEqual(['rules/a.md', 'rules/b.md']);
  expect(find('zebra').toSorted()).toEqual(['memory/m.md', 'note.md', 'rules/a.md', 'rules/b.md']);
  expect(find('zebra', { ...open, tags: ['#ZOO', 'stripes'] })).toEqual(['rules/a.md']);
  expect(find('zebra', { ...open, tags: Array(3000).fill('zoo') })).toHaveLength(2);
  expect(find('zebra', { ...open, tags: Array.from({ length: 3000 }, (_, at) => `t${at}`) })).toEqual([]);
  expect(find('zebra', { ...open, language: 'DE' })).toEqual(['rules/a.md']);
  expect(find('zebra', { ...open, language: 'ja' })).toEqual(['rules/b.md']);
  expect(find('zebra', { ...open, status: 'draft' })).toEqual(['rules/b.md']);
  expect(find('zebra', { private: true, prefix: 'memory/' })).toEqual(['memory/m.md']);
  expect(find('zebra', { private: true, types: ['ssss:memory'] })).toEqual([]);
  expect(find('zebra', { private: true, readable: [null] })).toEqual(['note.md']);
  expect(find('zebra', { ...open, since: Date.parse('2026-05-16'), until: Date.parse('2026-05-17') })).toHaveLength(2);
  expect(find('zebra', { ...open, until: Date.parse('2026-05-16') })).toEqual([]);
  const facets = countFacets(db, { query: parseQuery('zebra'), mode: 'all', scope: open, also: [] });
  expect(facets).toEqual({
    type: [{ value: 'ssss:rule', count: 2 }],
    tag: [
      { value: 'Zoo', count: 2 },
      { value: '#stripes', count: 1 },
    ],
    status: [
      { value: 'active', count: 1 },
      { value: 'draft', count: 1 },
    ],
    language: [
      { value: 'de-AT', count: 1 },
      { value: 'ja', count: 1 },
    ],
  });
});

test('a change takes the place of what stood there, and a removed file leaves nothing behind', () => {
  const { apply, find, projection, db } = finder({ 'a.md': ruleText('A', 'zebra'), 'b.md': ruleText('B', 'zebra') });
  apply({ 'a.md': ruleText('A', 'giraffe', ['tags: [x]']) });
  apply({ 'a.md': ruleText('A', 'giraffe', ['tags: [x]']), 'b.md': null });
  expect([find('zebra'), find('giraffe')]).toEqual([[], ['a.md']]);
  expect([...projection.holdings(db)].map(row => row.path)).toEqual(['a.md']);
  expect(db.prepare('SELECT COUNT(*) FROM search_tags').pluck().get()).toBe(1);
  projection.drop(db);
  expect(db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'search%'").all()).toEqual([]);
});

test('how well words fit depends on what stands there now, not on how often it was changed', () => {
  const files = { 'a.md': ruleText('One', 'A tandem, a bell.'), 'b.md': ruleText('Two', 'A bell.'), 'c.md': ruleText('Three', 'A lock.') };
  const index = finder(files);
  const fresh = index.answer('tandem bell').hits;
  for (let round = 0; round < 10; round += 1) {
    index.apply({
      'b.md': ruleText('Two', `Something else ${round}, longer than before.`),
      'd.md': ruleText('Four', 'tandem '.repeat(50)),
    });
    index.apply({ ...files, 'd.md': null });
  }
  expect(index.answer('tandem bell').hits).toEqual(fresh);
  expect(index.db.prepare('SELECT COUNT(*) AS n FROM search_tokens').get()).toEqual({ n: 3 });
  index.db.exec("INSERT INTO search_text (search_text, rank) VALUES ('integrity-check', 1)");
});

test('no question is an error, and no question is syntax', () => {
  const { find, answer } = finder({ ...bodies, 'and.md': ruleText('Words', 'AND OR NOT NEAR title body') });
  const pieces = [
    '"',
    '*',
    '(',
    ')',
    'AND',
    'OR',
    'NOT',
    'NEAR',
    'title:',
    '-',
    '+',
    '^',
    ':',
    '{',
    '}',
    '\0',
    "'",
    ';',
    '--',
    ' ',
    'meeting',
    '会',
    '\ud800',
    '\udc00',
    'ก',
    '%',
    '_',
    '\\',
    '#',
  ];
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map(parts => parts.join('')),
      ),
      query => {
        expect(Array.isArray(find(query))).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
  expect(find('AND')[0]).toBe('and.md');
  expect(find('title:')).toEqual(['and.md']);
  for (const nothing of ['', '   ', '"', '*', '""', '-', '()', '\u200b', '\ud800'])
    expect(answer(nothing)).toEqual({ mode: 'all', total: 0, hits: [] });
  expect(find('word '.repeat(10_000))).toEqual([]);
});

test('nothing that is hidden from a reader shows in the numbers: neither in the order nor in how well words fit', () => {
  const open = {
    'a.md': ruleText('A', 'zebra horse'),
    'b.md': ruleText('B', 'horse apple and pear'),
    'c.md': ruleText('C', 'zebra apple and pear'),
  };
  const hidden = (word: string) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m${at}.md`, `A plain note, ${word} and ${word}.`]));
  const [zebras, horses] = [finder({ ...open, ...hidden('zebra') }), finder({ ...open, ...hidden('horse') })];
  const clerk: SearchScope = { private: true, readable: ['ssss:rule'] };
  for (const query of ['zebra', 'horse', 'zebra horse', 'zebra horse xylophone', 'zeb', '"zebra horse" apple', 'horse -apple']) {
    expect(zebras.answer(query, clerk), query).toEqual(horses.answer(query, clerk));
    expect(zebras.answer(query, clerk).total, query).toBeGreaterThan(0);
  }
});

test('a reader who may see everything and one who is filtered to everything get the same order and the same fit', () => {
  const { answer } = finder(bodies);
  const types = ['ssss:rule', null];
  for (const query of ['meeting tuesday', 'meeting xylophone', '会議', 'ta', '"moved to tuesday"']) {
    const [plain, filtered] = [answer(query), answer(query, { private: true, readable: types })];
    expect(filtered.hits.map(hit => hit.path)).toEqual(plain.hits.map(hit => hit.path));
    expect(filtered.total).toBe(plain.total);
    for (const [at, hit] of filtered.hits.entries()) expect(hit.lexical).toBeCloseTo(plain.hits[at]?.lexical ?? 0, 9);
  }
});
