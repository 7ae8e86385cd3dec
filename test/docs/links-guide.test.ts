import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommands } from './run-commands.ts';

const guide = readFileSync('docs/guides/links-and-memory.md', 'utf8');

test('every command of the guide works, in order, in an empty directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-links-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const run = await runCommands([...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join(''), directory);
  expect(run.status, run.stderr + run.stdout).toBe(0);
  const { stdout } = run;
  expect(stdout).toContain('broken, as expected');
  expect(stdout).toMatch(
    /rules\/tyres\.md:9:\d+ '\/Skills\/write-a-quote\/SKILL\.md' is written otherwise: 'skills\/write-a-quote\/SKILL\.md'/,
  );
  expect(stdout).toContain('pending  conflict-2026-09-14-001  photograph-damage-first / note-damage-on-paper');
  const read = (path: string): string => readFileSync(join(directory, 'shop', path), 'utf8');
  expect(read('rules/tyres.md')).toContain(
    '[the skill](/skills/write-a-quote/SKILL.md) says. See also [helmets](/rules/helmets-for-minors.md).\n',
  );
  expect(read('rules/tyres.md')).toMatch(/The \[price list\]\(\/pages\/price-list\.md\)/);
  expect(read('rules/hiring-terms.md')).toMatch(/\nfeedback:\n {2}score: 0\.4\n/);
  expect(read('rules/index.md')).toContain('(/rules/hiring-terms.md)');
  expect(read('memory/patterns/note-damage-on-paper.md')).toContain('\nstatus: superseded\n');
  expect(read('memory/concepts/定金政策.md')).toContain('\n  samples: 1\n');
}, 180_000);
