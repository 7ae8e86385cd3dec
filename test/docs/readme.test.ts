import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const readme = readFileSync('README.md', 'utf8');
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(match => match[1]!);

let directory: string;
let environment: NodeJS.ProcessEnv;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sheaf-readme-'));
  const shim = join(directory, 'sheaf');
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${resolve('bin/sheaf.cjs')}" "$@"\n`);
  chmodSync(shim, 0o755);
  environment = { ...process.env, PATH: `${directory}:${process.env.PATH}`, SHEAF_STATE_DIR: join(directory, 'state') };
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const freePort = (): Promise<number> =>
  new Promise(done => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

test('every shell command of the README works, in order, in an empty directory', async () => {
  // The default port may be in use on the machine that runs the tests.
  const port = String(await freePort());
  const lines = blocks('sh')
    .join('')
    .split('\n')
    // Installing and testing cannot run inside the tests; the demo is the command behind `npm run demo`.
    .map(line => (line === 'npm ci && npm run demo' ? 'sheaf demo' : line))
    .filter(line => !line.startsWith('npm ') && !line.startsWith('alias '))
    .map(line => line.replace('sheaf serve', `sheaf serve --port ${port}`).replaceAll('127.0.0.1:4177', `127.0.0.1:${port}`));
  expect(lines.filter(line => line.includes('sheaf')).length).toBeGreaterThan(10);
  const run = spawnSync('bash', ['-euo', 'pipefail', '-c', lines.join('\n')], { cwd: directory, env: environment, encoding: 'utf8' });
  expect(run.status, run.stderr).toBe(0);
  expect(run.stdout).toContain('"replay":true');
  expect(run.stdout).toContain('{"status":"ok"}');
  expect(run.stdout).toMatch(/^\d{4}-\S+ .* patch .* rules\/tone\.md +agent:writer /m);
  expect(run.stdout).toContain('"mcpServers"');
  const tone = readFileSync(join(directory, 'my-vault/rules/tone.md'), 'utf8');
  expect(tone).toContain('\nscope: writers\n');
  expect(tone.endsWith('Never argue.\n')).toBe(true);
}, 120_000);

test('the library example of the README runs as it stands', () => {
  const [code] = blocks('ts');
  const program = code!.replace("root: 'my-vault'", `root: ${JSON.stringify(join(directory, 'my-vault'))}`);
  expect(program).not.toBe(code);
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], { env: environment, encoding: 'utf8' });
  expect(run.stderr).toBe('');
  expect(run.stdout).toBe('true\n');
}, 60_000);
