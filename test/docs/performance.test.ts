import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the speed page shows the newest recorded results', () => {
  expect(() => execFileSync(process.execPath, ['scripts/performance-table.mjs'], { stdio: 'pipe' })).not.toThrow();
});

test('every benchmark that the speed page speaks of exists', () => {
  const ids = new Set([...readFileSync('bench/benchmarks.mjs', 'utf8').matchAll(/^ {2}'([a-z]+\.[a-z0-9]+)': /gm)].map(([, id]) => id));
  expect(ids.size).toBeGreaterThan(15);
  for (const page of ['docs/performance.md', 'docs/reliability.md']) {
    const named = [
      ...readFileSync(page, 'utf8').matchAll(/(?:^\| |`|--id )((?:commit|lookup|vs|doc|scan|open|memory)\.[a-z0-9]+)\b/gm),
    ].map(([, id]) => id);
    expect(
      named.filter(id => !ids.has(id)),
      page,
    ).toEqual([]);
  }
});
