import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const page = readFileSync('docs/reference/readings.md', 'utf8');
const headings = [...page.matchAll(/^### (.+)$/gm)].map(match => match[1]!.toLowerCase());

/** `(readings: drift)`, `(§6.1, readings: paths, case twins)` and the like; a comment may wrap inside one. */
const named = (source: string): string[] =>
  [...source.matchAll(/readings:\s+([^);]+)/g)].flatMap(match => match[1]!.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ').split(', '));

test('every reading of the standard that the source names is a heading of docs/reference/readings.md', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'));
  const references = files.flatMap(file =>
    named(readFileSync(join('src', file), 'utf8')).map(heading => ({ file, heading: heading.trim().toLowerCase() })),
  );
  expect(references.length).toBeGreaterThan(50);
  expect(references.filter(({ heading }) => !headings.includes(heading))).toEqual([]);
});

test('docs/reference/readings.md has no heading twice, and each one says something', () => {
  expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
  const sections = page.split(/^### .+$/m).slice(1);
  expect(sections.filter(section => section.replace(/^## .+$/m, '').trim() === '')).toEqual([]);
});
