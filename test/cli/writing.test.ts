import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, makeVault, rule, thread, workshopAt } from './sheaf.ts';

const workshop = workshopAt(realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-cli-'))));
const { inVault, sheaf, vault } = workshop;
const text = (path: string): string => readFileSync(join(vault, path), 'utf8');
const write = (path: string, content: string, ...options: string[]) => sheaf(['write', path, ...options], { cwd: vault, input: content });
const eventCount = async (): Promise<number> => jsonLines((await inVault('log', '--json')).stdout).length;

beforeAll(() => makeVault(workshop));
afterAll(() => rmSync(workshop.directory, { recursive: true, force: true }));

test('write stores exactly the given text and says so in one line', async () => {
  const done = await write('rules/tone.md', rule('Tone'));
  expect(done).toMatchObject({ status: 0, stderr: '' });
  expect(done.stdout).toMatch(/^wrote {2}rules\/tone\.md {2}ssss:rule {2}[0-9a-f-]{36}\n$/);
  expect(text('rules/tone.md')).toBe(rule('Tone'));
});

test('write takes a file, and --json prints the response of the contract and nothing else', async () => {
  writeFileSync(join(workshop.directory, 'new.md'), rule('New'));
  const done = await inVault('write', 'rules/new.md', '../new.md', '--json', '--key', 'new-1', '--intent', 'a start');
  expect(done).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(done.stdout)).toMatchObject({ success: true, type: 'operation', path: 'rules/new.md', dry_run: false });
});

test('a refusal is the JSON response on standard output, each problem with its place and the code on standard error, and status 1', async () => {
  const refused = await write('rules/bad.md', '---\ntype: rule\ntitle: Bad\n---\n', '--json');
  expect(refused.status).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ success: false, error: { code: 'validation_failed' } });
  expect(refused.stderr).toContain('[validation_failed]');
  expect(refused.stderr).toMatch(/rules\/bad\.md:1 name: Missing/);
});

test('the same key again replays; another request under it is refused', async () => {
  expect((await write('rules/k.md', rule('K'), '--key', 'k1')).status).toBe(0);
  const again = await write('rules/k.md', rule('K'), '--key', 'k1', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ success: true, replay: true });
  expect((await write('rules/k.md', rule('Other'), '--key', 'k1')).stderr).toContain('[idempotency_conflict]');
});

test('patch changes one line, types values like frontmatter, and takes JSON, files and a body', async () => {
  await write('rules/patched.md', rule('Patched').replace('name: Patched', 'name: Patched # ours\nzip: 07885'));
  writeFileSync(join(workshop.directory, 'patch.json'), '{"x_list": ["a", 1]}');
  writeFileSync(join(workshop.directory, 'body.md'), 'A new body.\n');
  const args = ['scope=support', 'x_n=3', 'x_s:="3"', '--json-patch', '../patch.json', '--body', '../body.md'];
  expect((await inVault('patch', 'rules/patched.md', ...args)).status).toBe(0);
  const expected = rule('Patched', 'A new body.\n').replace(
    'name: Patched',
    'name: Patched # ours\nzip: 07885\nscope: support\nx_n: 3\nx_s: "3"',
  );
  expect(text('rules/patched.md').replace(/x_list:\n( +- .*\n)+/, '')).toBe(expected);
  expect(text('rules/patched.md')).toMatch(/x_list:\n {2}- a\n {2}- 1\n/);
});

test('patch without anything to patch, with a key twice, or on an absent document is refused', async () => {
  expect(await inVault('patch', 'rules/tone.md')).toMatchObject({ status: 2, stdout: '' });
  expect(await inVault('patch', 'rules/tone.md', 'a=1', 'a=2')).toMatchObject({ status: 2, stdout: '' });
  expect((await inVault('patch', 'rules/absent.md', 'a=1')).stderr).toContain('[not_found]');
});

test('append adds to a thread and refuses a type whose body would be replaced', async () => {
  await write('threads/t.md', thread);
  const turn = '### turn 2 — assistant — 2026-05-16T14:01:00Z\nHello!\n';
  expect((await sheaf(['append', 'threads/t.md'], { cwd: vault, input: turn })).status).toBe(0);
  expect(text('threads/t.md')).toBe(thread + turn);
  const refused = await sheaf(['append', 'rules/tone.md'], { cwd: vault, input: turn });
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('[not_appendable]');
  expect(text('rules/tone.md')).toBe(rule('Tone'));
});

test('event records a payload, from the argument or standard input, and refuses text that is not JSON', async () => {
  expect((await inVault('event', 'shop/door', '{"event_type":"opened"}')).stdout).toMatch(/^recorded {2}shop\/door/);
  expect((await sheaf(['event', 'shop/door', '-'], { cwd: vault, input: '{"n":1}' })).status).toBe(0);
  const events = jsonLines((await inVault('log', 'shop/door', '--json')).stdout);
  expect(events.map(event => event.payload)).toEqual([{ event_type: 'opened' }, { n: 1 }]);
  expect((await inVault('event', 'shop/door', '{')).stderr).toContain('[invalid_request]');
});

test('rm removes a document once', async () => {
  await write('rules/gone.md', rule('Gone'));
  expect((await inVault('rm', 'rules/gone.md')).stdout).toMatch(/^removed {2}rules\/gone\.md/);
  expect(() => text('rules/gone.md')).toThrow('ENOENT');
  expect((await inVault('rm', 'rules/gone.md')).stderr).toContain('[not_found]');
});

test('a dry run changes nothing', async () => {
  const before = await eventCount();
  const rehearsed = await inVault('rm', 'rules/tone.md', '--dry-run');
  expect(rehearsed).toMatchObject({ status: 0, stdout: expect.stringMatching(/^would remove/) });
  expect(text('rules/tone.md')).toBe(rule('Tone'));
  expect(await eventCount()).toBe(before);
});

test('an expected version that differs, or an existing document with --if-absent, is a conflict', async () => {
  const { hash } = JSON.parse((await inVault('cat', 'rules/tone.md', '--json')).stdout) as { hash: string };
  expect((await inVault('patch', 'rules/tone.md', 'x_a=1', '--if-match', hash)).status).toBe(0);
  expect((await inVault('patch', 'rules/tone.md', 'x_a=2', '--if-match', hash)).stderr).toContain('[version_conflict]');
  expect((await write('rules/tone.md', rule('Tone'), '--if-absent')).stderr).toContain('[version_conflict]');
  expect((await write('rules/tone.md', rule('Tone'), '--if-absent', '--if-match', hash)).status).toBe(2);
});

test('a write under a lease needs its operation', async () => {
  const acquired = await inVault('lease', 'acquire', 'rules/tone.md', '--operation', 'op1', '--json');
  const { lease_id: lease } = JSON.parse(acquired.stdout) as { lease_id: string };
  expect((await inVault('patch', 'rules/tone.md', 'x_b=1', '--lease', lease, '--operation', 'op2')).stderr).toContain('[lease_conflict]');
  expect((await inVault('patch', 'rules/tone.md', 'x_b=1', '--lease', lease, '--operation', 'op1')).status).toBe(0);
});

test('what policy wants confirmed is refused with the hash to give, and done when it is given', async () => {
  writeFileSync(join(vault, '.ssss/policy.json'), '{"confirm":[{"actions":["delete"]}]}');
  try {
    const refused = await inVault('rm', 'rules/new.md', '--key', 'rm-new');
    expect(refused.stderr).toContain('[forbidden]');
    const hash = refused.stderr.match(/sha256:[0-9a-f]{64}/)?.[0] ?? 'none';
    expect((await inVault('rm', 'rules/new.md', '--key', 'rm-new', '--confirm')).stderr).toContain('[confirmation_needed]');
    expect((await inVault('rm', 'rules/new.md', '--key', 'rm-new', '--confirm', hash)).status).toBe(0);
  } finally {
    rmSync(join(vault, '.ssss/policy.json'));
  }
});

test('unreadable input is named', async () => {
  expect((await inVault('write', 'rules/x.md', '../no-such-file.md')).stderr).toContain('[unreadable_input]');
  const bytes = await sheaf(['write', 'rules/x.md'], { cwd: vault, input: Buffer.from([0x2d, 0xff]) });
  expect(bytes).toMatchObject({ status: 1, stderr: expect.stringContaining('not UTF-8') });
});
