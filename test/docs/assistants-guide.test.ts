import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommands } from './run-commands.ts';

const guide = readFileSync('docs/guides/assistants.md', 'utf8');

test('every command of the guide works, in order, in an empty directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-assistants-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join('');
  const { status, stdout, stderr } = await runCommands(blocks, directory);
  expect(status, stderr).toBe(0);
  const lines = stdout.split('\n');
  for (const said of [
    /^pending +tasks\/digest\/.*no language model on this machine stands for 'example\/large-model'/,
    /^local +openai-compatible qwen3 +http:\/\/127\.0\.0\.1:11434/,
    /^hosted .*EXAMPLE_KEY/,
    /^answers .*from a script/,
    /^succeeded +runs\/digest\//,
    /^The lock was changed\.$/,
    /Turn of the scripted model 'scripted'\./,
    /^waiting_for_human +runs\/digest\//,
    /^pending +tasks\/digest\/.*asks: Scribe asks for your approval/,
    /1\. write skills\/forward\/SKILL\.md/,
    /^it is not written$/,
    /^and never will be$/,
    /^command +shout +\/bin\/echo "Attention: \{word\}"/,
    /^succeeded +runs\/announce\//,
    /Attention: closing time/,
    /^weather-key +https:\/\/api\.example\.com/,
  ])
    expect(lines, String(said)).toContainEqual(expect.stringMatching(said));
  expect(stderr).toContain('nothing was done; `sheaf tasks` shows what waits');
  expect(stdout).not.toContain('k-0123456789');
}, 300_000);
