import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommands } from '../docs/run-commands.ts';

const guide = readFileSync('docs/guides/search.md', 'utf8');

/** A stand-in for the embedding model of the guide, in a process of its own: the commands below hold up this one. */
const startModel = async (): Promise<string> => {
  const model = spawn(process.execPath, ['test/search/model-endpoint.mjs'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void model.kill());
  const [line] = (await once(model.stdout, 'data')) as [Buffer];
  return line.toString().trim();
};

test('every command of the guide to searching works, in order, in an empty directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-guide-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block ?? '');
  // Shows which answer belongs to which command.
  const script = blocks.join('').replaceAll(/^sheaf search .*$/gm, command => `echo '== ${command.replaceAll("'", '')}'\n${command}`);
  const run = await runCommands(script.replaceAll('http://127.0.0.1:11434/v1', await startModel()), directory);
  expect(run.status, run.stderr).toBe(0);
  const answers = run.stdout.split(/^== /m).slice(1);
  expect(answers.length).toBeGreaterThan(14);
  // No question of the guide is in vain, but the one whose language no rental document has.
  const empty = answers.filter(answer => answer.trim().split('\n').length < 2).map(answer => answer.trim());
  expect(empty).toEqual(['sheaf search rental --language ja']);
  const thai = answers.filter(answer => answer.startsWith('sheaf search ฤดูหนาว'));
  expect(thai[0]?.split('\n')[1]).toContain('memory/decisions/keine-kinderanhaenger-im-winter.md');
  expect(JSON.parse(thai[1]?.split('\n')[1] ?? '')).toMatchObject({ evidence: { lexical: 0, semantic: expect.any(Number) as unknown } });
  expect(thai[1]).toMatch(/^state +ready$/m);
  expect(run.stdout).toMatch(/^day_price_eur: 14 {2}# 14,00\s€$/m);
  expect(answers[0]).toContain('memory/invariants/brakes-before-handover.md');
  expect(run.stderr).toContain('these have some of them');
  expect(readFileSync(join(directory, 'records.jsonl'), 'utf8')).toMatch(/^\{"content_hash":"sha256:/);
}, 180_000);
