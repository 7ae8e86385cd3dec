import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const headingsOf = (page: string): readonly string[] =>
  [...readFileSync(`docs/reference/${page}.md`, 'utf8').matchAll(/^#+ (.+)$/gm)].map(match => match[1]!.toLowerCase());

const pages = new Map(['http', 'mcp', 'identity'].map(page => [page, headingsOf(page)]));

/** `(mcp: replies)`, `(§6.5, http: calls)` and the like; a comment may wrap inside one. */
const named = (source: string) => {
  const comments = [...source.matchAll(/\/\*\*[\s\S]*?\*\/|\/\/.*/g)].map(match => match[0].replace(/\s*\n\s*\*\s*/g, ' '));
  return comments
    .flatMap(comment => [...comment.matchAll(/[(,;] ?(http|mcp|identity): ([a-z ]+)(?=[);])/g)])
    .map(match => ({ page: match[1]!, heading: match[2]! }));
};

test('every place of the reference that a comment names is a heading there', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'));
  const references = files.flatMap(file => named(readFileSync(join('src', file), 'utf8')).map(reference => ({ file, ...reference })));
  expect(references.length).toBeGreaterThan(20);
  expect(references.filter(({ page, heading }) => pages.get(page)?.includes(heading) !== true)).toEqual([]);
});
