import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const guide = readFileSync('docs/guides/run-as-a-service.md', 'utf8');
const blocks = (language: string): readonly string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block ?? '');
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

const workshop = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-service-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

const freePort = (): Promise<number> =>
  new Promise(done => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

test('every command of the guide works, in order, and the restored vault is whole', { timeout: 180_000 }, async () => {
  const directory = workshop();
  const shim = join(directory, 'sheaf');
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${resolve('bin/sheaf.cjs')}" "$@"\n`);
  chmodSync(shim, 0o755);
  const run = spawnSync(
    'bash',
    [
      '-euo',
      'pipefail',
      '-c',
      blocks('sh')
        .join('')
        .replaceAll('4177', String(await freePort())),
    ],
    {
      cwd: directory,
      env: { ...process.env, PATH: `${directory}:${process.env.PATH}`, SHEAF_STATE_DIR: join(directory, 'state'), NODE_OPTIONS: '' },
      encoding: 'utf8',
    },
  );
  expect(run.status, run.stderr).toBe(0);
  expect(run.stdout).toContain('{"status":"ok"}');
  expect(run.stdout).toContain('"status":"ready"');
  expect(run.stdout).toContain('sheaf_commit_batch_size_count');
  expect(readFileSync(join(directory, 'serve.log'), 'utf8')).not.toMatch(/sheaf_[\w-]{20}/);
});

test.skipIf(!has('systemd-analyze'))('systemd takes the unit of the guide', () => {
  const directory = workshop();
  const [unit = ''] = blocks('ini');
  const file = join(directory, 'sheaf.service');
  // The verifier wants a program that is there.
  writeFileSync(file, unit.replace('/usr/local/bin/sheaf', process.execPath));
  const verdict = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  expect(`${verdict.stdout}${verdict.stderr}`.split('\n').filter(line => line.includes('sheaf.service'))).toEqual([]);
});

test('the unit starts serve with options that it has', () => {
  const [, args = ''] = /^ExecStart=\S+ serve (.*)$/m.exec(blocks('ini')[0] ?? '') ?? [];
  const reference = readFileSync('docs/reference/command-line.md', 'utf8');
  const options = args.match(/--[a-z-]+/g) ?? [];
  expect(options.length).toBeGreaterThan(2);
  for (const option of options) expect(reference).toContain(`\`${option}`);
});
