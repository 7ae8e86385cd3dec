import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, rule, sampleDocuments, sampleEvents, workshopAt } from './sheaf.ts';

const workshop = workshopAt(realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-cli-'))));
const { inVault, sheaf, vault } = workshop;

beforeAll(async () => {
  const made = await sheaf(['init', 'vault', '--sample', '--workspace', 'ws', '--json']);
  expect(made.stderr).not.toContain('refused');
  expect(JSON.parse(made.stdout)).toMatchObject({ root: vault, workspace_id: 'ws', documents: sampleDocuments, events: sampleEvents });
});
afterAll(() => rmSync(workshop.directory, { recursive: true, force: true }));

test('cat prints exactly the stored bytes into a pipe, and refuses what is not there', async () => {
  const path = 'rules/helmets-for-minors.md';
  const printed = await inVault('cat', path);
  expect(printed).toEqual({ status: 0, stdout: readFileSync(join(vault, path), 'utf8'), stderr: '' });
  expect(await inVault('cat', 'rules/none.md')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('[not_found]') });
  expect((await inVault('cat', '../etc/passwd')).stderr).toContain('[invalid_request]');
});

test('ls lists by type and directory, aligned for people and one object per row for programs', async () => {
  const rows = jsonLines((await inVault('ls', '--type', 'memory', '--json')).stdout);
  expect(rows).toHaveLength(12);
  expect(rows.every(row => row.type === 'ssss:memory')).toBe(true);
  const { stdout } = await inVault('ls', 'tasks/');
  expect(stdout.split('\n').filter(Boolean)).toHaveLength(5);
  expect(stdout).toMatch(/^ssss:task {2}tasks\/workshop\/order-brake-pads\.md +Order organic brake pads/m);
  expect((await inVault('ls', '--type', 'nonsense')).stderr).toContain('[invalid_request]');
  expect((await inVault('ls', 'tasks/', '--json')).stderr).toBe('');
  expect(await inVault('ls', 'none/', '--json')).toEqual({ status: 0, stdout: '', stderr: 'nothing here\n' });
});

test('tree draws directories above what they hold', async () => {
  const { stdout, stderr } = await inVault('tree', 'tasks');
  expect(stdout).toContain('tasks/\n├─ morning-checklist/\n│  └─ weekday-0730-20260914t053000z.md  ssss:task\n');
  expect(stderr).toBe('5 files\n');
});

test('log prints canonical records oldest first, and filters by path, correlation, time and number', async () => {
  const all = jsonLines((await inVault('log', '--json')).stdout);
  expect(all).toHaveLength(sampleEvents);
  expect(Object.keys(all[0] ?? {})).toHaveLength(20);
  const times = all.map(event => event.timestamp as string);
  expect(times).toEqual([...times].sort());
  expect(new Set(all.map(event => (event.principal as { kind: string }).kind))).toEqual(new Set(['human', 'agent', 'service']));
  expect(jsonLines((await inVault('log', '--correlation', 'tanaka-rental', '--json')).stdout)).toHaveLength(3);
  expect(jsonLines((await inVault('log', 'bookings/', '--limit', '2', '--json')).stdout)).toHaveLength(2);
  expect((await inVault('log', 'bookings/')).stdout.split('\n')[0]).toMatch(
    /^\d{4}-.*Z {2}.* ago {2}create {2}bookings\/kc-2026-0912-tanaka\.md {2}assistant:front-desk {2}[0-9a-f]{12}$/,
  );
  expect(await inVault('log', '--since', '2040-01-01')).toMatchObject({ status: 0, stdout: '', stderr: 'no events\n' });
  expect((await inVault('log', 'bookings')).stderr).toBe("no events of 'bookings' itself; for a directory write 'bookings/'\n");
  expect((await inVault('log', '--since', 'yesterday')).status).toBe(2);
});

test('show takes an id or its ending; trace draws the causal tree of either', async () => {
  const [message, answer] = jsonLines((await inVault('log', '--correlation', 'tanaka-rental', '--json')).stdout);
  const id = message?.event_id as string;
  expect(JSON.parse((await inVault('show', id, '--json')).stdout)).toEqual(message);
  expect((await inVault('show', id.slice(-12))).stdout).toMatch(/^subject +threads\/tanaka-rental\/CONVERSATION\.md$/m);
  expect((await inVault('show', '00000000-0000-4000-8000-000000000000')).stderr).toContain('[not_found]');
  const drawn = await inVault('trace', String(answer?.event_id).slice(-12));
  expect(drawn.stdout.split('\n').map(line => line.slice(0, 10))).toEqual(['message_re', '├─ create ', '└─ create ', '']);
  expect((await inVault('trace', 'no-such-flow')).stderr).toContain('[not_found]');
});

test('log --follow prints what happens from then on and stops at Ctrl-C with 130', async () => {
  const env = { ...process.env, SHEAF_STATE_DIR: join(workshop.directory, 'state') };
  const child = spawn(process.execPath, [resolve('bin/sheaf.cjs'), 'log', 'shop/door', '--follow', '--json'], { cwd: vault, env });
  await inVault('event', 'shop/door', '{"event_type":"opened"}');
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  expect(JSON.parse(chunk.toString())).toMatchObject({ subject: 'shop/door' });
  child.kill('SIGINT');
  expect((await once(child, 'close'))[0]).toBe(130);
});

test('check names file, line and column of every problem, and status and adopt deal with hand edits', async () => {
  expect(await inVault('check')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`valid    ${sampleDocuments + 2} files: ${sampleDocuments - 2} documents`),
  });
  writeFileSync(join(vault, 'rules/by-hand.md'), rule('By hand').replace('name: By hand', 'name: "By hand'));
  appendFileSync(join(vault, 'rules/rental-terms.md'), '\nNever argue.\n');
  const checked = await inVault('check', 'rules/');
  expect(checked).toMatchObject({ status: 1, stderr: expect.stringContaining('[checks_failed]') });
  expect(checked.stdout).toMatch(/^error {4}rules\/by-hand\.md:6:\d+ frontmatter: /m);
  expect(JSON.parse((await inVault('check', '--json')).stdout)).toMatchObject({
    valid: false,
    log_damage: [],
    files: { found: sampleDocuments + 3 },
  });

  const rows = jsonLines((await inVault('status', '--json')).stdout);
  expect(rows.map(row => [row.kind, row.path])).toEqual([
    ['untracked', 'rules/by-hand.md'],
    ['drift', 'rules/rental-terms.md'],
  ]);
  const adopted = await inVault('adopt', '--json');
  expect(adopted.status).toBe(1);
  expect(jsonLines(adopted.stdout).map(row => [row.path, row.outcome])).toEqual([
    ['rules/by-hand.md', 'refused'],
    ['rules/rental-terms.md', 'adopted'],
  ]);
  writeFileSync(join(vault, 'rules/by-hand.md'), rule('By hand'));
  expect(await inVault('adopt', 'rules/by-hand.md')).toMatchObject({ status: 0, stdout: 'adopted create  rules/by-hand.md\n' });
  expect((await inVault('status')).stdout).toMatch(/^clean {2}/);
  expect(await inVault('adopt')).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('nothing to adopt') });
});

test('adopting a document that decides about rights needs to be said twice', async () => {
  appendFileSync(join(vault, 'roles/front-desk/ROLE.md'), 'Also held by Rosa.\n');
  const asked = await inVault('adopt');
  expect(asked).toMatchObject({ status: 1, stdout: expect.stringContaining('needs confirmation') });
  expect((await inVault('adopt', '--confirm', 'roles/front-desk/ROLE.md')).stdout).toContain('adopted replace');
});

test('recover prints one object per interrupted write; here there was none', async () => {
  expect(await inVault('recover', '--json')).toEqual({ status: 0, stdout: '', stderr: 'no write was ever interrupted here\n' });
});
