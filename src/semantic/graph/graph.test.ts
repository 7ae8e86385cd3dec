import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openIndex, ruleText } from '../search/index-fixture.ts';
import { createGraphProjection } from './graph-projection.ts';
import { readGraph } from './read-graph.ts';

const open = (files: Readonly<Record<string, string>>) => {
  const index = openIndex(createGraphProjection, files);
  return { ...index, graph: () => readGraph(index.db) };
};

test('relations, wiki links and Markdown links become edges that know where they lead', () => {
  const { graph } = open({
    'rules/a.md': ruleText(
      'A',
      '[[tone|the tone]] [[rules/b#Head]] | [[x\\|y]] [c](../c.md "t") [gone](/gone.md) `[[code]]` [web](https://e.x/a.md)',
      ['relations:', '  - /c.md', '  - concept.tone', '  - { relation: uses_brand, target: rules/b.md }', '  - "[[c|See]]"', '  - nowhere'],
    ),
    'rules/b.md': ruleText('B', ''),
    'c.md': ruleText('C', ''),
    'voice/tone.md': ruleText('Tone of voice', '', ['semantic_id: concept.tone', 'aliases: [x]']),
  });
  const resolved = (path: string) => ({ kind: 'resolved', path });
  expect(
    graph()
      .edgesFrom('rules/a.md')
      .map(({ kind, name, target, resolution }) => [kind, name, target, resolution]),
  ).toEqual([
    ['relation', null, '/c.md', resolved('c.md')],
    ['relation', null, 'concept.tone', resolved('voice/tone.md')],
    ['relation', 'uses_brand', 'rules/b.md', resolved('rules/b.md')],
    ['relation', null, 'c', resolved('c.md')],
    ['relation', null, 'nowhere', { kind: 'unresolved' }],
    ['wiki', null, 'tone', resolved('voice/tone.md')],
    ['wiki', null, 'rules/b', resolved('rules/b.md')],
    ['wiki', null, 'x', resolved('voice/tone.md')],
    ['markdown', null, '../c.md', resolved('c.md')],
    ['markdown', null, '/gone.md', { kind: 'unresolved' }],
  ]);
  expect(
    graph()
      .edgesTo('voice/tone.md')
      .map(edge => edge.target),
  ).toEqual(['concept.tone', 'tone', 'x']);
  expect(
    graph()
      .edgesTo('c.md')
      .map(edge => edge.target),
  ).toEqual(['/c.md', 'c', '../c.md']);
});

test('a file name goes before an alias, an alias before a title, and two of a kind stay ambiguous', () => {
  const { graph, apply } = open({
    'from.md': ruleText('From', '[[Plan]]'),
    'titled.md': ruleText('plan', ''),
  });
  const target = () => graph().edgesFrom('from.md')[0]?.resolution;
  expect(target()).toEqual({ kind: 'resolved', path: 'titled.md' });
  apply({ 'aliased.md': ruleText('Other', '', ['aliases: [PLAN]']) });
  expect(target()).toEqual({ kind: 'resolved', path: 'aliased.md' });
  apply({ 'x/plan.md': ruleText('X', '') });
  expect(target()).toEqual({ kind: 'resolved', path: 'x/plan.md' });
  apply({ 'y/plan.md': ruleText('Y', ''), 'y/index.md': '# Plan' });
  expect(target()).toEqual({ kind: 'ambiguous', candidates: ['x/plan.md', 'y/plan.md'] });
  expect(graph().edgesTo('y/plan.md')).toHaveLength(1);
  apply({ 'x/plan.md': null, 'y/plan.md': null, 'aliased.md': null, 'titled.md': null });
  expect(target()).toEqual({ kind: 'unresolved' });
});

test('edges back are exactly the edges of everybody that lead there, whatever the vault', () => {
  const name = fc.constantFrom('a', 'B', 'ü', 'index', 'plan');
  const path = fc.tuple(fc.constantFrom('', 'x/', 'x/y/'), name).map(([folder, file]) => `${folder}${file}.md`);
  const target = fc.oneof(
    name,
    path,
    path.map(one => `/${one}`),
    fc.constantFrom('../a.md', 'id.1', 'x/plan', 'b'),
  );
  const link = fc.tuple(target, fc.boolean()).map(([to, wiki]) => (wiki ? `[[${to}]]` : `[t](${encodeURI(to)})`));
  const file = fc.record({
    links: fc.array(link, { maxLength: 4 }),
    relation: target,
    alias: name,
    id: fc.constantFrom('', 'semantic_id: id.1'),
  });
  fc.assert(
    fc.property(fc.dictionary(path, file, { maxKeys: 8, noNullPrototype: true }), files => {
      const { db, graph } = open(
        Object.fromEntries(
          Object.entries(files).map(([at, { links, relation, alias, id }]) => [
            at,
            ruleText('T', links.join(' '), [`relations: [${JSON.stringify(relation)}]`, `aliases: [${alias}]`, ...(id === '' ? [] : [id])]),
          ]),
        ),
      );
      const all = [...graph().edges()];
      for (const to of Object.keys(files)) {
        const leading = all.filter(({ resolution }) =>
          resolution.kind === 'resolved' ? resolution.path === to : resolution.kind === 'ambiguous' && resolution.candidates.includes(to),
        );
        expect(graph().edgesTo(to)).toEqual(leading);
      }
      db.close();
    }),
    { numRuns: 60 },
  );
});
