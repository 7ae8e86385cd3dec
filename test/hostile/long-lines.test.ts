import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initVault } from '#open-vault';
import { evt, mebibyte, patience, temporaryPlace } from './hostile-vault.ts';

const limitMebibytes = 64;

/** Lines for `sheaf exec`, of which one is a little longer than it reads. */
function* lines(): Generator<string> {
  yield `${JSON.stringify(evt('shop', '1'))}\n`;
  yield '{"type":"event","content":"';
  for (let written = 0; written < limitMebibytes; written += 1) yield 'x'.repeat(mebibyte);
  yield '"}\n';
  yield `${JSON.stringify(evt('shop', '2'))}\n`;
}

test(`a line longer than ${limitMebibytes} MiB is refused in its place, and the lines around it run`, patience, async () => {
  const { base, root, end } = temporaryPlace();
  try {
    await initVault({ root, workspaceId: 'ws-a' });
    const { NODE_OPTIONS: _, ...env } = process.env;
    const child = spawn(process.execPath, ['--max-old-space-size=192', 'bin/sheaf.cjs', 'exec', '--json', '--vault', root], {
      env: { ...env, SHEAF_STATE_DIR: join(base, 'state') },
    });
    let out = '';
    child.stdout.on('data', data => {
      out += String(data);
    });
    for (const part of lines()) if (!child.stdin.write(part)) await once(child.stdin, 'drain');
    child.stdin.end();
    const [code] = (await once(child, 'close')) as [number | null];
    const answers = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { readonly success: boolean; readonly error?: { readonly code: string; readonly message: string } });
    expect(answers.map(answer => answer.error?.code ?? answer.success)).toEqual([true, 'invalid_request', true]);
    expect(answers[1]?.error?.message).toContain(`longer than ${limitMebibytes} MiB`);
    expect(code).toBe(1);
  } finally {
    end();
  }
});
