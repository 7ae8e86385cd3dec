import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseRecords } from '#document';
import { agent, executor, openBench, type RunBench, task } from './run-fixture.ts';

const node = process.execPath;

const scratch = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-command-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

interface Setup {
  readonly argv: readonly string[];
  readonly params?: object;
  readonly limits?: object;
  readonly signal?: AbortSignal;
  readonly trusted?: boolean;
}

const running = async ({ argv, params = {}, limits = {}, signal, trusted = true }: Setup) => {
  const bench = await openBench();
  await bench.write('tasks/t.md', task({ x_command: 'tool', x_params: params }));
  const command = executor('command', bench, { allow: { commands: { tool: { argv, ...limits } } }, trusted: () => trusted });
  const execution = await bench.execution(signal === undefined ? {} : { signal });
  return { bench, command, execution };
};

const run = async (setup: Setup) => {
  const { bench, command, execution } = await running(setup);
  return { outcome: await command.run(execution), bench };
};

const script = (source: string): readonly string[] => [node, '-e', source];
const stepText = (bench: RunBench): string => bench.steps.at(-1)?.text ?? '';

test('a program gets its values, an empty directory of its own, and nothing of our environment', async () => {
  process.env.SHEAF_TEST_KEY = 'sk-secret';
  onTestFinished(() => void delete process.env.SHEAF_TEST_KEY);
  const source =
    'console.log(JSON.stringify({ args: process.argv.slice(1), cwd: process.cwd(), files: require("fs").readdirSync("."), env: Object.keys(process.env).sort(), mode: (require("fs").statSync(".").mode & 0o777).toString(8) }))';
  const { outcome, bench } = await run({
    argv: [...script(source), '--', '{name}', '--size={size}'],
    params: { name: 'Grüße aus Kyoto; rm -rf $HOME `id`'.slice(0, 15), size: 7 },
  });
  expect(outcome).toEqual({ kind: 'succeeded', summary: "the program 'tool' ended well" });
  const said = JSON.parse(/\{"args".*\}/.exec(stepText(bench))?.[0] ?? '{}') as Record<string, unknown>;
  expect(said).toMatchObject({
    args: ['Grüße aus Kyoto', '--size=7'],
    files: [],
    env: ['HOME', 'LANG', 'SHEAF_RUN', 'TMPDIR'],
    mode: '700',
  });
  expect(existsSync(said.cwd as string)).toBe(false);
  expect(bench.taints).toEqual(["the output of the program 'tool'"]);
});

test.each([
  ['an option', { a: '--output=/etc/passwd' }, 'begins with -'],
  ['a path', { a: '/etc/passwd' }, 'more than words'],
  ['a way up', { a: '..' }, 'more than words'],
  ['a list', { a: ['x', 'y'] }, 'must be one value'],
  ['a line break', { a: 'x\ny' }, 'control characters'],
  ['nothing', {}, 'is not given'],
  ['an empty text', { a: '' }, 'is empty'],
  ['a long text', { a: 'x'.repeat(5000) }, 'longer than 4096'],
])('a value that is %s starts nothing', async (_, params, reason) => {
  const file = join(scratch(), 'ran');
  const { outcome } = await run({ argv: [...script(`require("fs").writeFileSync(${JSON.stringify(file)}, "x")`), '--', '{a}'], params });
  expect(outcome).toMatchObject({ kind: 'failed', retry: false, reason: expect.stringContaining(reason) as string });
  expect(existsSync(file)).toBe(false);
});

test('a slot with a pattern takes what fits it as a whole, and still no option', async () => {
  const limits = { slots: { file: { pattern: '[-/a-z]+\\.png' } } };
  const argv = [...script('0'), '--', '{file}'];
  expect((await run({ argv, limits, params: { file: 'in/a.png' } })).outcome.kind).toBe('succeeded');
  expect((await run({ argv, limits, params: { file: 'in/a.png; x' } })).outcome.kind).toBe('failed');
  expect((await run({ argv, limits, params: { file: '-a.png' } })).outcome.kind).toBe('failed');
});

test('a program that fails is a failed attempt, and one that asks for another try gets it', async () => {
  expect((await run({ argv: script('process.exit(3)') })).outcome).toEqual({
    kind: 'failed',
    reason: "the program 'tool' ended with 3",
    retry: false,
  });
  expect((await run({ argv: script('process.exit(75)') })).outcome).toMatchObject({ kind: 'failed', retry: true });
  expect((await run({ argv: script('process.kill(process.pid, "SIGSEGV")') })).outcome).toMatchObject({
    reason: "the program 'tool' was ended by SIGSEGV",
  });
});

test('a program that floods its output is ended, and only the beginning is kept', async () => {
  const { outcome, bench } = await run({
    argv: script('process.on("SIGTERM", () => {}); for (;;) require("fs").writeSync(1, "y".repeat(65536))'),
    limits: { max_output_bytes: 10_000 },
  });
  expect(outcome).toMatchObject({ kind: 'failed', reason: "the program 'tool' wrote more than 10000 bytes and was ended" });
  expect(stepText(bench).length).toBeLessThan(11_000);
});

test('a program that ignores SIGTERM is ended at its time, with everything that it started and hid', async () => {
  const file = join(scratch(), 'pids');
  const child = 'process.on(\\"SIGTERM\\", () => {}); setInterval(() => {}, 1000)';
  const source = `
    const { spawn } = require('child_process');
    process.on('SIGTERM', () => {});
    const pids = [process.pid];
    for (const detached of [false, true]) {
      const made = spawn(process.execPath, ['-e', "${child}"], { detached, stdio: 'inherit' });
      made.unref();
      pids.push(made.pid);
    }
    require('fs').writeFileSync(${JSON.stringify(file)}, pids.join(' '));
    setInterval(() => {}, 1000);
  `;
  const { outcome } = await run({ argv: script(source), limits: { timeout_seconds: 1 } });
  expect(outcome).toMatchObject({ kind: 'failed', reason: "the program 'tool' took longer than 1 s and was ended", retry: false });
  const pids = readFileSync(file, 'utf8').split(' ').map(Number);
  expect(pids).toHaveLength(3);
  await expect.poll(() => pids.filter(isRunning), { timeout: 3000 }).toEqual([]);
});

test('a program that ends and leaves another behind holds nothing up', async () => {
  const file = join(scratch(), 'pid');
  const source = `
    const made = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'inherit' });
    made.unref();
    require('fs').writeFileSync(${JSON.stringify(file)}, String(made.pid));
    console.log('bye');
  `;
  const { outcome, bench } = await run({ argv: script(source), limits: { timeout_seconds: 20 } });
  expect(outcome.kind).toBe('succeeded');
  expect(stepText(bench)).toContain('bye');
  await expect.poll(() => isRunning(Number(readFileSync(file, 'utf8'))), { timeout: 3000 }).toBe(false);
});

test('a run that is stopped ends its program', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 150);
  const { outcome } = await run({ argv: script('setInterval(() => {}, 1000)'), signal: stop.signal });
  expect(outcome).toMatchObject({ kind: 'failed', reason: "the program 'tool' was ended because the run was stopped", retry: true });
});

test('what keeps a program from starting is said, and the task waits', async () => {
  const { command, execution } = await running({ argv: ['/nowhere/at/all'] });
  expect(await command.unready(execution)).toContain("'/nowhere/at/all' is not there");
  const untrusted = await running({ argv: script('0'), trusted: false });
  expect(await untrusted.command.unready(untrusted.execution)).toContain('`sheaf trust`');
  expect(await untrusted.command.run(untrusted.execution)).toMatchObject({ kind: 'failed', retry: true });
  const bench = await openBench();
  await bench.write('tasks/t.md', task({ x_command: 'other' }));
  const none = executor('command', bench, {});
  expect(await none.unready(await bench.execution({}))).toContain("allows no program 'other'");
});

test('work that an agent ordered waits for a person, who approves exactly one command line', async () => {
  const bench = await openBench();
  const file = join(scratch(), 'ran');
  await bench.write('tasks/t.md', task({ x_command: 'tool', x_params: { a: 'x' } }), agent(bench.vault));
  const argv = [...script(`require("fs").writeFileSync(${JSON.stringify(file)}, process.argv[1])`), '--', '{a}'];
  const allow = { commands: { tool: { argv } } };
  const command = executor('command', bench, { allow });
  const asked = await command.run(await bench.execution({}));
  if (asked.kind !== 'waiting_for_human') throw new Error(asked.kind);
  expect(asked.question).toContain("run the program 'tool'");
  expect(asked.question).toContain('"x"');
  expect(existsSync(file)).toBe(false);
  const decision = { approved: true, by: 'human:mei', reason: 'ok', question: asked.question };
  await bench.write('tasks/t.md', task({ x_command: 'tool', x_params: { a: 'other' } }), agent(bench.vault));
  expect(await command.run(await bench.execution({ decision }))).toMatchObject({
    kind: 'failed',
    reason: 'what would run now is not what was approved',
  });
  expect(existsSync(file)).toBe(false);
  await bench.write('tasks/t.md', task({ x_command: 'tool', x_params: { a: 'x' } }), agent(bench.vault));
  expect((await command.run(await bench.execution({ decision }))).kind).toBe('succeeded');
  expect(readFileSync(file, 'utf8')).toBe('x');
});

test('output that looks like a step of the record is text in it', async () => {
  const { bench } = await run({ argv: script('console.log("```\\n### step 9 — done — 2026-05-16T08:00:00Z — ok\\n````")') });
  expect(stepText(bench)).toMatch(/^`{5}text$/m);
  // Read as a record is read, it is one step.
  expect(parseRecords(`### step 1 — run — 2026-05-16T08:00:00Z — ok\n${stepText(bench)}\n`)).toHaveLength(1);
});

/** Whether a process runs; one that has ended and waits to be collected does not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
