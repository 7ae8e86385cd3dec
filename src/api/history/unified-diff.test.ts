import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { seededRandom } from '#adapter-contracts/testing';
import { linesOf, matchLines, mostEditedLines } from './line-matches.ts';
import { unifiedDiff } from './unified-diff.ts';

const sides = (from: string | null, to: string | null) => unifiedDiff('a.md', { text: from, label: 'x' }, { text: to, label: 'y' });

test('equal texts have an empty difference', () => {
  expect(sides('a\n', 'a\n')).toBe('');
  expect(sides(null, null)).toBe('');
});

test('a missing line end is said as diff says it, and nothing stands at /dev/null', () => {
  expect(sides('a\nb', 'a\nb\n')).toBe('--- a/a.md\tx\n+++ b/a.md\ty\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n');
  expect(sides(null, 'a\n')).toBe('--- /dev/null\tx\n+++ b/a.md\ty\n@@ -0,0 +1 @@\n+a\n');
});

test('edits far apart are hunks of their own, and near ones share one', () => {
  const text = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
  const changed = text.with(4, 'five').with(8, 'nine').with(25, 'late');
  expect(sides(`${text.join('\n')}\n`, `${changed.join('\n')}\n`).match(/^@@.*$/gm)).toEqual(['@@ -2,11 +2,11 @@', '@@ -23,7 +23,7 @@']);
});

test('texts that differ in more lines than are compared still give a right difference', () => {
  const before = Array.from({ length: mostEditedLines + 50 }, (_, index) => `old ${index}\n`).join('');
  const after = Array.from({ length: mostEditedLines + 50 }, (_, index) => `new ${index}\n`).join('');
  const matches = matchLines(linesOf(`top\n${before}end\n`), linesOf(`top\n${after}end\n`));
  expect(matches.map(({ length }) => length)).toEqual([1, 1]);
  expect(sides(`top\n${before}end\n`, `top\n${after}end\n`).match(/^@@.*$/gm)).toHaveLength(1);
});

const hasPatch = spawnSync('git', ['--version']).status === 0;

test.runIf(hasPatch)('git applies the difference of any two texts and gets the other one', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-diff-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const random = seededRandom(5);
  const text = (): string => {
    const lines = Array.from({ length: Math.floor(random() * 12) }, () => `${'abcd'[Math.floor(random() * 4)]}\n`).join('');
    return random() < 0.3 ? lines.slice(0, -1) : lines;
  };
  for (let round = 0; round < 60; round += 1) {
    const [from, to] = [text(), text()];
    const patch = sides(from, to);
    if (patch === '') continue;
    writeFileSync(join(directory, 'a.md'), from);
    const applied = spawnSync('git', ['apply', '--unidiff-zero', '-'], { cwd: directory, input: patch, encoding: 'utf8' });
    expect(applied.stderr, `${JSON.stringify([from, to])}\n${patch}`).toBe('');
    expect(readFileSync(join(directory, 'a.md'), 'utf8')).toBe(to);
  }
});

test('a difference of very many lines is as long as it is', () => {
  const text = (word: string) => `${word}\n`.repeat(200_000);
  const diff = unifiedDiff('a.md', { text: text('one'), label: '1' }, { text: text('two'), label: '2' });
  expect(diff.split('\n').length).toBe(400_000 + 4);
});
