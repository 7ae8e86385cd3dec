import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/reliability.md', 'utf8');
const named = new Set(page.match(/test\/[\w./-]+\.test\.ts/g));
const folders = ['power-cut', 'crash', 'machine', 'kernel-model', 'hostile', 'fuzz'];

test('every test that the reliability page names exists', () => {
  expect(named.size).toBeGreaterThan(25);
  expect([...named].filter(file => !existsSync(file))).toEqual([]);
});

test('every test of reliability is named on the page', () => {
  const files = folders.flatMap(folder => readdirSync(`test/${folder}`).map(file => `test/${folder}/${file}`));
  const tests = files.filter(file => file.endsWith('.test.ts') && !file.endsWith('.soak.test.ts'));
  expect(tests.filter(file => !named.has(file))).toEqual([]);
});
