import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonLines, makeVault, openWorkshop, rule, sampleEvents } from './sheaf.ts';

test('init makes a vault named for its directory, once, and leaves other files alone', async () => {
  const { sheaf, directory } = openWorkshop();
  mkdirSync(join(directory, 'Mein Büro'));
  writeFileSync(join(directory, 'Mein Büro/note.md'), 'mine\n');
  const made = await sheaf(['init', 'Mein Büro', '--json']);
  expect(JSON.parse(made.stdout)).toEqual({ root: join(directory, 'Mein Büro'), workspace_id: 'mein-buro', documents: 0, events: 0 });
  expect(readFileSync(join(directory, 'Mein Büro/note.md'), 'utf8')).toBe('mine\n');
  expect(await sheaf(['init', 'Mein Büro'])).toMatchObject({ status: 1, stderr: expect.stringContaining('[vault_exists]') });
});

test('init --git makes a repository in which reading leaves nothing to commit', async () => {
  const { sheaf, directory } = openWorkshop();
  expect((await sheaf(['init', 'repo', '--git', '--sample'])).status).toBe(0);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', join(directory, 'repo'), '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args]).toString();
  git('add', '-A');
  git('commit', '-qm', 'all');
  expect((await sheaf(['check', '--vault', 'repo'])).status).toBe(0);
  expect((await sheaf(['status', '--vault', 'repo'])).status).toBe(0);
  expect(git('status', '--porcelain')).toBe('');
});

test('demo makes a sample vault, shows its history, and shows the same one when run again', async () => {
  const { sheaf, directory } = openWorkshop();
  const first = await sheaf(['demo']);
  expect(first).toMatchObject({ status: 0, stderr: expect.stringContaining('Try next:') });
  expect(first.stdout.split('\n').filter(Boolean)).toHaveLength(sampleEvents);
  const again = await sheaf(['demo', '--json']);
  expect(again.status).toBe(0);
  expect(jsonLines(again.stdout)).toHaveLength(sampleEvents);
  expect((await sheaf(['demo'], { cwd: join(directory, 'demo-vault', 'tasks') })).stderr).toContain('was there before');
  expect(existsSync(join(directory, 'demo-vault/tasks/demo-vault'))).toBe(false);
});

test('demo writes into nothing that is not its own', async () => {
  const { sheaf, directory } = openWorkshop();
  mkdirSync(join(directory, 'demo-vault'));
  writeFileSync(join(directory, 'demo-vault/mine.txt'), '');
  expect(await sheaf(['demo'])).toMatchObject({ status: 1, stderr: expect.stringContaining('[in_the_way]') });
  expect(readdirSync(join(directory, 'demo-vault'))).toEqual(['mine.txt']);
});

test('doctor finds a sound machine and vault sound, and examines only the machine outside of one', async () => {
  const workshop = openWorkshop();
  const outside = await workshop.sheaf(['doctor', '--json']);
  expect(outside.status).toBe(0);
  expect(jsonLines(outside.stdout).map(finding => finding.check)).toEqual([
    'node',
    'sqlite',
    'locks',
    'git',
    'clock',
    'disk',
    'round trip',
  ]);
  await makeVault(workshop);
  const inside = await workshop.inVault('doctor');
  expect(inside.stdout).not.toMatch(/^(warning|problem)/m);
  expect(inside.status).toBe(0);
  expect(readdirSync(workshop.vault).sort()).toEqual(['.gitignore', '.ssss', '.ssss-intents']);
});

test('doctor names damage with file and offset, and whatever else is wrong with its remedy', async () => {
  const workshop = openWorkshop();
  await makeVault(workshop);
  const { vault, sheaf } = workshop;
  await sheaf(['write', 'rules/a.md'], { cwd: vault, input: rule('A') });
  await sheaf(['event', 'x'], { cwd: vault });
  const segment = join(vault, '.ssss/events', readdirSync(join(vault, '.ssss/events'))[0] ?? '');
  const log = readFileSync(segment, 'utf8');
  const second = log.indexOf('\n') + 1;
  writeFileSync(segment, `${log.slice(0, second)}{"broken":\n${log.slice(second)}`);
  writeFileSync(join(vault, '.ssss/extensions/stray.json'), '{}');
  mkdirSync(join(vault, '.ssss/local'));
  mkdirSync(join(vault, '.ssss-intents/quarantine'), { recursive: true });
  writeFileSync(join(vault, '.ssss-intents/quarantine/left.json'), '{}');
  appendFileSync(join(vault, 'rules/a.md'), 'more\n');
  writeFileSync(join(vault, 'rules/b.md'), '---\ntype: rule\n---\n');
  const examined = await sheaf(['doctor', '--json'], { cwd: vault });
  expect(examined.status).toBe(1);
  const findings = jsonLines(examined.stdout).filter(finding => finding.status !== 'ok');
  expect(findings.every(finding => typeof finding.remedy === 'string' && finding.remedy !== '')).toBe(true);
  const details = findings.map(finding => `${finding.check}: ${finding.detail}`).join('\n');
  expect(details).toMatch(new RegExp(`log: \\.ssss/events/[0-9]+\\.jsonl, byte ${second}, `));
  for (const part of ['.ssss/extensions/stray.json', '.ssss/local', 'quarantine/left.json', 'rules/b.md', '1 drift'])
    expect(details).toContain(part);
  const checked = await sheaf(['check'], { cwd: vault });
  expect(checked.stdout).toContain(`byte ${second}`);
});

test('doctor says why a vault does not open', async () => {
  const workshop = openWorkshop();
  await makeVault(workshop);
  writeFileSync(join(workshop.vault, '.ssss/workspace.json'), '{"workspace_id": "ws"');
  const examined = await workshop.inVault('doctor');
  expect(examined).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/problem {2}vault.*workspace\.json.*\[workspace_file_invalid\]\n.*→ /),
  });
  rmSync(join(workshop.vault, '.ssss/workspace.json'));
});

test('conformance runs the chosen scenarios and checks a copy of the standard', async () => {
  const { sheaf } = openWorkshop();
  const run = await sheaf(['conformance', '--surface', 'memory', '--only', 'path-']);
  expect(run).toMatchObject({ status: 0, stderr: expect.stringMatching(/all as expected: [1-9]\d* runs?\n/) });
  expect(run.stdout).toMatch(/^section +scenarios +memory/);
  const nothing = await sheaf(['conformance', '--surface', 'memory', '--only', 'none']);
  expect(nothing).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining("no scenario whose id begins with 'none'") });
  const wrong = await sheaf(['conformance', '--spec', '-'], { input: 'no standard' });
  expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining('[checks_failed]') });
});
