import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, makeVault, type RunResult, rule, workshopAt } from './sheaf.ts';

const workshop = workshopAt(realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-cli-'))));
const { sheaf, vault } = workshop;
const exec = (input: string, ...options: string[]): Promise<RunResult> => sheaf(['exec', ...options], { cwd: vault, input });
const event = (key: string, content = '{}'): object => ({
  type: 'event',
  workspace_id: 'ws',
  idempotency_key: key,
  path: 'shop/door',
  content,
});
const lines = (...values: (object | string)[]): string =>
  values.map(value => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');

beforeAll(() => makeVault(workshop));
afterAll(() => rmSync(workshop.directory, { recursive: true, force: true }));

test('one response per line in input order, a malformed line gets its own in place, and any refusal makes the status 1', async () => {
  const input = lines(event('a1'), '{"type":', event('a2'), 'oops', '{"type":"event","type":"patch"}', event('a3'));
  const done = await exec(input, '--json');
  expect(done.status).toBe(1);
  const responses = jsonLines(done.stdout);
  expect(responses.map(response => response.success)).toEqual([true, false, true, false, false, true]);
  expect(responses.filter(response => !response.success).map(response => response.error)).toEqual([
    { code: 'invalid_request', message: expect.stringMatching(/^envelope: line 2, column \d+: /) },
    { code: 'invalid_request', message: expect.stringMatching(/^envelope: line 4, column 1: /) },
    { code: 'invalid_request', message: expect.stringContaining('stands twice') },
  ]);
});

test('a single value over many lines, an array and a file are read, too', async () => {
  const pretty = await exec(JSON.stringify(event('b1'), null, 2));
  expect(pretty).toMatchObject({ status: 0, stderr: '1 done, 0 refused\n' });
  const array = await exec(JSON.stringify([event('b2'), event('b3')], null, 2), '--quiet');
  expect(array.stderr).toBe('');
  expect(jsonLines(array.stdout)).toHaveLength(2);
  writeFileSync(join(vault, 'envelopes.jsonl'), lines(event('b4'), event('b5')));
  expect(jsonLines((await sheaf(['exec', 'envelopes.jsonl'], { cwd: vault })).stdout)).toHaveLength(2);
  rmSync(join(vault, 'envelopes.jsonl'));
});

test('no input is no work', async () => {
  expect(await exec('')).toMatchObject({ status: 0, stdout: '' });
});

test('lines about one path or under one key keep their order however many run at once', async () => {
  const patches = Array.from({ length: 60 }, (_, n) => ({
    type: 'patch',
    workspace_id: 'ws',
    idempotency_key: `c${n}`,
    path: `rules/r${n % 3}.md`,
    patches: { x_n: n },
  }));
  const creates = [0, 1, 2].map(n => ({
    type: 'operation',
    workspace_id: 'ws',
    idempotency_key: `cc${n}`,
    path: `rules/r${n}.md`,
    content: rule(`R${n}`),
  }));
  const done = await exec(lines(...creates, ...patches, event('same', '1'), event('same', '1'), event('same', '2')), '--concurrency', '32');
  const responses = jsonLines(done.stdout);
  expect(responses.map(response => response.path)).toEqual(
    [...creates, ...patches].map(one => one.path).concat(Array(3).fill('shop/door')),
  );
  expect(responses.slice(0, 63).every(response => response.success)).toBe(true);
  expect(responses.slice(63).map(response => response.replay ?? (response.error as { code: string } | undefined)?.code)).toEqual([
    undefined,
    true,
    'idempotency_conflict',
  ]);
  for (const n of [0, 1, 2]) expect((await sheaf(['cat', `rules/r${n}.md`], { cwd: vault })).stdout).toContain(`x_n: ${57 + n}\n`);
});

test('what stands beside an envelope is used: expected version, correlation, cause', async () => {
  const [first] = jsonLines((await exec(lines({ envelope: event('d1'), correlation_id: 'flow' }))).stdout);
  const cause = first?.event_id as string;
  const done = await exec(
    lines(
      { envelope: event('d2'), correlation_id: 'flow', causation_id: cause },
      { envelope: event('d3'), causation_id: 'unknown' },
      { envelope: event('d4'), colour: 'red' },
      {
        envelope: { type: 'operation', workspace_id: 'ws', idempotency_key: 'd5', path: 'rules/r0.md', content: rule('R') },
        if_match: null,
      },
    ),
  );
  const [caused, unknown, stranger, existing] = jsonLines(done.stdout);
  expect(caused).toMatchObject({ success: true });
  expect(unknown).toMatchObject({ error: { code: 'invalid_request' } });
  expect(stranger).toMatchObject({ error: { code: 'invalid_request', message: expect.stringContaining('colour') } });
  expect(existing).toMatchObject({ error: { code: 'version_conflict' } });
  const tree = JSON.parse((await sheaf(['trace', 'flow', '--json'], { cwd: vault })).stdout) as {
    nodes: { event: { event_id: string }; depth: number }[];
  };
  expect(tree.nodes.map(node => node.depth)).toEqual([0, 1]);
});

test('a response is printed as soon as it is done, while the input is still open', async () => {
  const child = startExec();
  child.stdin.write(lines(event('e1')));
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  expect(JSON.parse(chunk.toString())).toMatchObject({ success: true });
  child.stdin.end();
  expect((await once(child, 'close'))[0]).toBe(0);
});

test('Ctrl-C ends the input, prints what was begun, and exits with 130', async () => {
  const child = startExec();
  child.stdin.write(lines(event('f1')));
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect((await once(child, 'close'))[0]).toBe(130);
  expect((await sheaf(['status'], { cwd: vault })).status).toBe(0);
});

test('a reader that goes away ends the program quietly', async () => {
  const child = startExec();
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  child.stdout.destroy();
  child.stdin.on('error', () => undefined);
  child.stdin.write(lines(...Array.from({ length: 50 }, (_, n) => event(`g${n}`))));
  child.stdin.end();
  await once(child, 'close');
  expect(complaints).not.toMatch(/EPIPE|Error|at /);
});

const startExec = () =>
  spawn(process.execPath, [resolve('bin/sheaf.cjs'), 'exec'], {
    cwd: vault,
    env: { ...process.env, SHEAF_STATE_DIR: join(workshop.directory, 'state') },
  });
