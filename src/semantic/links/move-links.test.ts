import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extractLinks, parseDocument } from '#document';
import { createLinkMap } from './link-map.ts';
import { core, linkedDocuments, ruleText } from './linked-fixture.ts';
import { createMove, movedLinks } from './move-links.ts';
import { rewriteFile } from './rewrite-document.ts';

/** The body of `at` after the moves, and the reasons of links that were kept. */
const afterMove = (files: Readonly<Record<string, string>>, moves: Readonly<Record<string, string>>, at: string) => {
  const documents = linkedDocuments(files);
  const move = createMove(documents, new Map(Object.entries(moves)), core);
  const document = documents.find(each => each.path === at)!;
  const { targets, kept } = movedLinks(document, move);
  const parsed = parseDocument(files[at]!);
  const { patches } = rewriteFile(at, parsed, core.resolve(document.type ?? ''), { targets, newPath: move.newPath });
  const body = parsed.kind === 'document' ? parsed.document.body : parsed.kind === 'ordinary' ? parsed.text : '';
  return { body: patches.__body__ ?? body, fields: { ...patches, __body__: undefined }, kept: kept.map(({ reason }) => reason) };
};

const tone = ruleText('title: Tone of voice\naliases: [voice]');

test('every form of a link follows a document to its new path', () => {
  const body = [
    '[[tone]] [[tone|the tone]] [[tone#h]] [[rules/tone]] [[/rules/tone.md#h|x]] ![[tone]]',
    '[a](/rules/tone.md) [b](../rules/tone.md "t") [c](<../rules/tone.md#h>) [d](/rules/ton%65.md)',
    '',
    '[r]: /rules/tone.md',
    '',
    '| [[tone\\|cell]] |',
    '|---|',
    '`[[tone]]` [[voice]] [u](https://e.org/rules/tone.md)',
    '',
    '```',
    '[a](/rules/tone.md)',
    '```',
  ].join('\n');
  const { body: after } = afterMove(
    { 'rules/tone.md': tone, 'notes/n.md': ruleText('title: N', body) },
    { 'rules/tone.md': 'voice/how (we) speak.md' },
    'notes/n.md',
  );
  expect(after).toBe(
    [
      '[[how (we) speak]] [[how (we) speak|the tone]] [[how (we) speak#h]] [[voice/how (we) speak]] [[/voice/how (we) speak.md#h|x]] ![[how (we) speak]]',
      '[a](/voice/how%20%28we%29%20speak.md) [b](../voice/how%20%28we%29%20speak.md "t") [c](<../voice/how%20%28we%29%20speak.md#h>) [d](/voice/how%20%28we%29%20speak.md)',
      '',
      '[r]: /voice/how%20%28we%29%20speak.md',
      '',
      '| [[how (we) speak\\|cell]] |',
      '|---|',
      '`[[tone]]` [[voice]] [u](https://e.org/rules/tone.md)',
      '',
      '```',
      '[a](/rules/tone.md)',
      '```',
    ].join('\n'),
  );
});

test('relative links of the document that moves still lead where they led', () => {
  const text = ruleText('title: T', '[a](other.md) [b](./sub/c.md) [c](../top.md) [[./other]] [me](tone.md) [[other]]');
  const files = { 'rules/tone.md': text, 'rules/other.md': tone, 'rules/sub/c.md': tone, 'top.md': tone };
  const { body } = afterMove(files, { 'rules/tone.md': 'a/b/tone.md' }, 'rules/tone.md');
  expect(body).toBe('[a](../../rules/other.md) [b](../../rules/sub/c.md) [c](../../top.md) [[../../rules/other]] [me](tone.md) [[other]]');
});

test('paths in frontmatter follow, prose and identities do not', () => {
  const text = ruleText(
    'title: rules/tone.md\nslug: rules/tone.md\nrelations: [rules/tone.md, {type: up, target: "/rules/tone.md#h"}]\nx_next: rules/tone.md\nx_other: see rules/tone.md',
  );
  const { fields } = afterMove({ 'rules/tone.md': tone, 'n.md': text }, { 'rules/tone.md': 'p/q.md' }, 'n.md');
  expect(JSON.parse(JSON.stringify(fields))).toEqual({ relations: ['p/q.md', { type: 'up', target: '/p/q.md#h' }], x_next: 'p/q.md' });
});

test('a bare name that two documents have is left to its author, and said', () => {
  const files = { 'x/plan.md': tone, 'y/plan.md': tone, 'n.md': ruleText('title: N', '[[plan]] [[x/plan]]') };
  const { body, kept } = afterMove(files, { 'x/plan.md': 'x/scheme.md' }, 'n.md');
  expect(body).toBe('[[plan]] [[x/scheme]]');
  expect(kept).toEqual(["it may mean any of 'x/plan.md', 'y/plan.md'"]);
});

test('a bare name becomes a path when the new name is taken, also for links to the document that had it', () => {
  const files = { 'x/plan.md': tone, 'y/scheme.md': tone, 'n.md': ruleText('title: N', '[[plan]] [[scheme]]') };
  expect(afterMove(files, { 'x/plan.md': 'x/scheme.md' }, 'n.md').body).toBe('[[x/scheme]] [[y/scheme]]');
});

test('whatever moves, every link that led somewhere leads to the same document, and all bytes outside the targets stay', () => {
  const folders = ['', 'a/', 'a/b/', 'c/'];
  const names = ['one', 'two', 'three'];
  const path = fc.tuple(fc.constantFrom(...folders), fc.constantFrom(...names)).map(([folder, name]) => `${folder}${name}.md`);
  const paths = fc.uniqueArray(path, { minLength: 2, maxLength: 7 });
  const link = fc.tuple(
    fc.constantFrom(...folders, '../', './', '/', '/a/'),
    fc.constantFrom(...names),
    fc.constantFrom('', '.md'),
    fc.boolean(),
  );
  const body = fc
    .array(link, { maxLength: 6 })
    .map(links =>
      links.map(([folder, name, ending, wiki]) => (wiki ? `[[${folder}${name}${ending}]]` : `[x](${folder}${name}.md)`)).join(' word '),
    );
  fc.assert(
    fc.property(paths, fc.array(body, { minLength: 7, maxLength: 7 }), fc.nat(), path, (taken, bodies, chosen, goal) => {
      const old = taken[chosen % taken.length]!;
      fc.pre(!taken.includes(goal));
      const files = Object.fromEntries(taken.map((each, index) => [each, ruleText('title: T', bodies[index]!)]));
      const before = createLinkMap(linkedDocuments(files));
      const newPath = (at: string): string => (at === old ? goal : at);
      const moved = Object.fromEntries(
        taken.map(each => [newPath(each), ruleText('title: T', afterMove(files, { [old]: goal }, each).body as string)]),
      );
      const after = createLinkMap(linkedDocuments(moved));
      for (const each of taken) {
        const links = extractLinks(files[each]!);
        const links2 = extractLinks(moved[newPath(each)]!);
        expect(links2.length).toBe(links.length);
        for (const [index, one] of links.entries()) {
          const led = before.resolve(one, each);
          if (led.kind !== 'resolved') {
            expect(links2[index]!.target).toBe(one.target);
            continue;
          }
          expect(after.resolve(links2[index]!, newPath(each))).toEqual({ kind: 'resolved', path: newPath(led.path) });
        }
      }
    }),
    { numRuns: 300 },
  );
});
