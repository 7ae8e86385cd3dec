import { expect, test } from 'vitest';
import { extractLinks, resolveLink } from './index.ts';

const paths = ['x/plan.md', 'y/plan.md', 'x/only.md', 'a/b.md', 'x/a/b.md', 'top.md'];
const lookup = {
  exists: (path: string) => paths.includes(path),
  named: (name: string) => paths.filter(path => path.endsWith(`/${name}.md`)),
};
const resolve = (text: string, from = 'x/here.md') => extractLinks(text).map(link => resolveLink(link, from, lookup));

test('a bare name with several candidates is ambiguous and names them', () => {
  expect(resolve('[[plan]]')).toEqual([{ kind: 'ambiguous', candidates: ['x/plan.md', 'y/plan.md'] }]);
  expect(resolve('[[only]] [[none]]')).toEqual([{ kind: 'resolved', path: 'x/only.md' }, { kind: 'unresolved' }]);
});

test.each([
  ['[[/a/b]]', 'a/b.md'],
  ['[[./a/b]]', 'x/a/b.md'],
  ['[[../top]]', 'top.md'],
  ['[[y/plan.md]]', 'y/plan.md'],
  ['[x](only.md)', 'x/only.md'],
  ['[x](../y/plan.md)', 'y/plan.md'],
  ['[x](/top.md)', 'top.md'],
  ['[x](a/./b.md)', 'x/a/b.md'],
])('%s is resolved', (text, path) => expect(resolve(text)).toEqual([{ kind: 'resolved', path }]));

test('a wiki path that fits both from the root and from the folder is ambiguous', () => {
  expect(resolve('[[a/b]]')).toEqual([{ kind: 'ambiguous', candidates: ['a/b.md', 'x/a/b.md'] }]);
});

test.each(['[x](top.md)', '[x](../../x/only.md)', '[[/only]]', '[x](/nowhere.md)'])('%s is not resolved', text => {
  expect(resolve(text)).toEqual([{ kind: 'unresolved' }]);
});
