import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommands } from './run-commands.ts';

const guide = readFileSync('docs/guides/history.md', 'utf8');

test('every command of the guide works, in order, in an empty directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-history-guide-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const run = await runCommands([...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join(''), directory);
  expect(run.status, run.stderr).toBe(0);
  const { stdout, stderr } = run;
  expect(stdout).toContain('-We look at brakes and tyres.\n+We look at brakes, tyres and lights.\n');
  expect(stdout).toContain('-Bikes come back clean.\n+Bikes come back clean and dry.\n');
  expect(stdout).toMatch(/^[0-9a-f]{12} {2}local:\S+ {2}\S.* title: Taking bikes back$/m);
  expect(stdout).toContain('refused, as it should be\n');
  expect(stderr).toMatch(/has changed since the event .*\[version_conflict\]/);
  expect(stdout).toMatch(/^local:\S+ \d+ changes by local:\S+$/m);
  expect(stdout).toMatch(/would remove 0 past contents/);
  const text = readFileSync(join(directory, 'shop/rules/returns.md'), 'utf8');
  expect(text).toContain('\ntitle: Returns\n');
  // What `git show` gave is the document as it stands.
  expect(stdout).toContain(text);
}, 180_000);
