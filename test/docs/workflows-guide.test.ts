import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommands } from './run-commands.ts';

const guide = readFileSync('docs/guides/workflows.md', 'utf8');

test('every command of the guide works, in order, in an empty directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-workflows-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const run = await runCommands([...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join(''), directory);
  expect(run.status, `${run.stdout}\n${run.stderr}`).toBe(0);
  const { stdout } = run;
  const replies = stdout
    .split('\n')
    .filter(line => line.startsWith('{"result"'))
    .flatMap(line => (JSON.parse(line) as Reply).result.content ?? [])
    .map(({ text }) => text.split('\n')[0]);
  expect(replies).toEqual(['tasks: 1', 'done: recorded', 'done: the task is pending', 'done: the task is done']);
  expect(stdout).toMatch(/^created {2}evening-digest till-counted/m);
  expect(stdout).toMatch(/^exists {2}tasks\/evening-digest\/manual-/m);
  expect(stdout).toContain('asks: May I send this to Inés?');
  expect(stdout).toContain('─ 4 finish  ok');
  expect(stdout).toMatch(/\{"event_id":"[^"]+","replay":false\}$/m);
  expect(stdout).toMatch(/^pending +tasks\/new-booking\/web-form-\S+ /m);
}, 180_000);

interface Reply {
  readonly result: { readonly content?: readonly { readonly text: string }[] };
}
