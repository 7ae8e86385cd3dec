import { expect, test } from 'vitest';
import { indexPages } from './index-page.ts';

test('a directory of many documents is listed', () => {
  const documents = Array.from({ length: 60_000 }, (_, index) => ({
    path: `notes/${index}.md`,
    title: `Note ${index}`,
    description: null,
  }));
  expect(indexPages(documents, '').map(({ path }) => path)).toEqual(['index.md', 'notes/index.md']);
});

test('a document whose title shows nothing is listed by its name', () => {
  const documents = [' ', '\u200b\u202e'].map((title, index) => ({ path: `${index}.md`, title, description: null }));
  expect(indexPages(documents, '')[0]?.text.split('\n').slice(3, 5)).toEqual(['- [0](/0.md)', '- [1](/1.md)']);
});
