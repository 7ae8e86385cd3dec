import { describe, expect, test } from 'vitest';
import { checkLinks } from './check-links.ts';
import { createLinkMap } from './link-map.ts';
import { linkedDocuments, ruleText } from './linked-fixture.ts';

const others = {
  'rules/tone.md': ruleText(
    'title: Tone of voice\nslug: tone\naliases: [voice]',
    '\n# Who may?\n\nA block. ^b1\n\nNotes\n-----\n\n# Notes\n',
  ),
  'x/plan.md': ruleText('title: P'),
  'y/plan.md': ruleText('title: P'),
  'skills/true-a-wheel/SKILL.md': '---\ntype: skill\nname: true-a-wheel\ntitle: True\n---\n',
  'tasks/secret.md': '---\ntype: task\ntitle: S\n---\n',
  'rules/Größe.md': ruleText('title: G'),
};

const faults = (body: string, frontmatter = 'title: T', path = 'rules/here.md', whereTo: (path: string) => string | null = () => null) => {
  const documents = linkedDocuments({ ...others, [path]: ruleText(frontmatter, body) });
  const map = createLinkMap(documents);
  return checkLinks(map.documents.get(path)!, map, whereTo).map(({ fault, line, column, repair }) => ({
    fault,
    at: `${line}:${column}`,
    repair,
  }));
};

describe('sound links', () => {
  test.each([
    '[[tone]] [[TONE]] [[voice]] [[Tone of voice]] [[true-a-wheel]] [[rules/tone]] [[/rules/tone.md]]',
    '[a](tone.md) [b](/rules/tone.md#who-may) [c](/rules/tone.md#Who%20may%3F) [[tone#Who may?]] [[tone#^b1]] [[tone#notes-1]]',
    '[a](https://example.org/x.md) `[[nowhere]]` ![i](nowhere.md) [w](/some/route) [[#here]]',
  ])('%s', body => expect(faults(body)).toEqual([]));
});

describe('faulty links', () => {
  test.each([
    ['a document that is not there', 'See [x](/rules/none.md).', { fault: 'missing', at: '5:5', repair: null }],
    ['a name that nobody has', '\n[[nobody]]', { fault: 'missing', at: '6:1', repair: null }],
    ['a name that two have', '[[plan]]', { fault: 'ambiguous', at: '5:1', repair: null }],
    ['another letter case', '[x](/Rules/Tone.md)', { fault: 'wrong_case', at: '5:1', repair: 'rules/tone.md' }],
    ['another Unicode form', `[[rules/${'Größe'.normalize('NFD')}]]`, { fault: 'wrong_case', at: '5:1', repair: 'rules/Größe.md' }],
    ['no ending', '[x](/rules/tone)', { fault: 'missing_ending', at: '5:1', repair: 'rules/tone.md' }],
    ['no such heading', '[x](tone.md#nothing)', { fault: 'missing_heading', at: '5:1', repair: null }],
    ['what belongs to the host', '[x](/.ssss/events/1.md)', { fault: 'reserved', at: '5:1', repair: null }],
    ['a document that does not travel', '[[tasks/secret]]', { fault: 'private', at: '5:1', repair: null }],
    ['a document of another folder, by its name', '[x](/old/tone.md)', { fault: 'missing', at: '5:1', repair: 'rules/tone.md' }],
    [
      'a skill of another folder, by its name',
      '[x](/true-a-wheel/SKILL.md)',
      { fault: 'missing', at: '5:1', repair: 'skills/true-a-wheel/SKILL.md' },
    ],
    ['a name that is only alike', '[[true a wheel]]', { fault: 'missing', at: '5:1', repair: null }],
    ['a place outside the vault', '[x](../../a.md)', { fault: 'missing', at: '5:1', repair: null }],
  ])('%s', (_name, body, expected) => expect(faults(body)).toEqual([expected]));

  test('paths in frontmatter count where they must be paths, or can only have been one', () => {
    expect(faults('', 'title: T\nrelations: [rules/none.md]')).toEqual([{ fault: 'missing', at: '4:1', repair: null }]);
    expect(faults('', 'title: T\nx_next: old/tone.md')).toEqual([{ fault: 'missing', at: '4:1', repair: 'rules/tone.md' }]);
    expect(faults('', 'title: T\nx_file: backup/none.md\nrelations: [{type: up, target: /rules/tone.md#who}]')).toEqual([]);
  });

  test('what the log says of a path comes first', () => {
    expect(faults('[x](/old/tone.md)', 'title: T', 'rules/here.md', () => 'x/plan.md')).toEqual([
      { fault: 'missing', at: '5:1', repair: 'x/plan.md' },
    ]);
  });
});

test('a record that can never be mended only warns', () => {
  const documents = linkedDocuments({ ...others, 'runs/r/RUN.md': '---\ntype: run\ntitle: R\n---\n[[nobody]]\n' });
  const map = createLinkMap(documents);
  expect(checkLinks(map.documents.get('runs/r/RUN.md')!, map, () => null).map(({ severity }) => severity)).toEqual(['warning']);
});
