import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommands } from '../docs/run-commands.ts';

const guide = readFileSync('docs/guides/search.md', 'utf8');

test('every command of the guide to searching works, in order, in an empty directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-guide-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block ?? '');
  // Shows which answer belongs to which command.
  const script = blocks.join('').replaceAll(/^sheaf search .*$/gm, command => `echo '== ${command.replaceAll("'", '')}'\n${command}`);
  const run = await runCommands(script, directory);
  expect(run.status, run.stderr).toBe(0);
  const answers = run.stdout.split(/^== /m).slice(1);
  expect(answers.length).toBeGreaterThan(14);
  // No question of the guide is in vain, but the one whose language no rental document has.
  const empty = answers.filter(answer => answer.trim().split('\n').length < 2).map(answer => answer.trim());
  expect(empty).toEqual(['sheaf search rental --language ja']);
  expect(answers[0]).toContain('memory/invariants/brakes-before-handover.md');
  expect(run.stderr).toContain('these have some of them');
  expect(readFileSync(join(directory, 'records.jsonl'), 'utf8')).toMatch(/^\{"content_hash":"sha256:/);
}, 180_000);
