import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { skipAloud } from '../crash/skip-aloud.ts';
import { runCommands } from './run-commands.ts';

const guide = readFileSync('docs/guides/run-as-a-service.md', 'utf8');
const blocks = (language: string): readonly string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block ?? '');
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

const workshop = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-service-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

test('every command of the guide works, in order, and the restored vault is whole', { timeout: 180_000 }, async () => {
  const directory = workshop();
  const run = await runCommands(blocks('sh').join(''), directory);
  expect(run.status, run.stderr).toBe(0);
  expect(run.stdout).toContain('{"status":"ok"}');
  expect(run.stdout).toContain('"status":"ready"');
  expect(run.stdout).toContain('sheaf_commit_batch_size_count');
  expect(readFileSync(join(directory, 'serve.log'), 'utf8')).not.toMatch(/sheaf_[\w-]{20}/);
});

test.skipIf(skipAloud('the unit of the guide', has('systemd-analyze') ? null : 'there is no systemd-analyze here'))(
  'systemd takes the unit of the guide',
  () => {
    const directory = workshop();
    const [unit = ''] = blocks('ini');
    const file = join(directory, 'sheaf.service');
    // The verifier wants a program that is there.
    writeFileSync(file, unit.replace('/usr/local/bin/sheaf', process.execPath));
    const verdict = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    expect(`${verdict.stdout}${verdict.stderr}`.split('\n').filter(line => line.includes('sheaf.service'))).toEqual([]);
  },
);

test('the unit starts serve with options that it has', () => {
  const [, args = ''] = /^ExecStart=\S+ serve (.*)$/m.exec(blocks('ini')[0] ?? '') ?? [];
  const reference = readFileSync('docs/reference/command-line.md', 'utf8');
  const options = args.match(/--[a-z-]+/g) ?? [];
  expect(options.length).toBeGreaterThan(2);
  for (const option of options) expect(reference).toContain(`\`${option}`);
});
