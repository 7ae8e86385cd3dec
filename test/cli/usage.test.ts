import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodes } from '#errors';
import { explanations } from '../../src/cli/explain.ts';
import { createProgram } from '../../src/cli/program.ts';
import { jsonLines, makeVault, openWorkshop } from './sheaf.ts';

const program = createProgram(() => async () => undefined, []);

test('without a command, with help and with --help it prints help, examples before usage', async () => {
  const { sheaf } = openWorkshop();
  for (const args of [[], ['help', 'patch'], ['patch', '--help']]) {
    const { status, stdout, stderr } = await sheaf(args);
    expect({ status, stderr }, args.join(' ')).toEqual({ status: 0, stderr: '' });
    expect(stdout.indexOf('Examples:'), args.join(' ')).toBeGreaterThan(0);
    expect(stdout.indexOf('Usage: sheaf')).toBeGreaterThan(stdout.indexOf('Examples:'));
  }
});

test('every command has examples, a description of every argument and option, and a summary that fits the list', () => {
  const visit = (command: typeof program, path: string): void => {
    for (const child of command.commands) {
      const name = `${path} ${child.name()}`;
      expect(child.helpInformation(), name).toContain('Examples:\n  $ ');
      for (const part of [...child.registeredArguments, ...child.options]) expect(part.description, name).not.toBe('');
      expect((child.summary() || child.description()).length, name).toBeLessThan(140);
      visit(child as typeof program, name);
    }
  };
  visit(program, 'sheaf');
});

test('wrong usage exits with 2, says what is wrong on standard error, and suggests what was meant', async () => {
  const { sheaf } = openWorkshop();
  const wrong = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await sheaf(args);
    expect({ status, stdout }, args.join(' ')).toEqual({ status: 2, stdout: '' });
    return stderr;
  };
  expect(await wrong('pach')).toContain('Did you mean patch?');
  expect(await wrong('ls', '--typ', 'rule')).toContain('Did you mean --type?');
  expect(await wrong('cat')).toContain("missing required argument 'PATH'\n(see `sheaf cat --help`)");
  expect(await wrong('index', 'embedder', 'set', '--modell', 'x')).toContain('(see `sheaf index embedder set --help`)');
  expect(await wrong('search', 'brakes', '-disc')).toContain("in quotation marks: 'brakes -disc'");
  expect(await wrong('lease')).toContain('Usage: sheaf lease');
  expect(await wrong('exec', '--concurrency', '0')).toContain('whole number');
  expect(await wrong('explain', 'nonsense')).toContain("no code 'nonsense'");
});

test('--version names this build, and with --json the standard too, wherever it stands', async () => {
  const { sheaf } = openWorkshop();
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect((await sheaf(['--version'])).stdout).toBe(`sheaf ${version} (SSSS 0.9)\n`);
  for (const args of [
    ['--version', '--json'],
    ['--json', '-V'],
  ]) {
    expect(JSON.parse((await sheaf(args)).stdout)).toEqual({ version, spec_version: '0.9' });
  }
});

test('outside of a vault a command says how to get one', async () => {
  const { sheaf } = openWorkshop();
  expect(await sheaf(['ls'])).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/sheaf init.*\[no_vault\]/) });
  expect((await sheaf(['ls', '--vault', 'nowhere'])).stderr).toMatch(/\[no_vault\]/);
});

test('a vault is found from below, and named with --vault before or after the command', async () => {
  const workshop = openWorkshop();
  await makeVault(workshop);
  expect((await workshop.sheaf(['ls'], { cwd: `${workshop.vault}/.ssss/events` })).status).toBe(0);
  expect((await workshop.sheaf(['--vault', 'vault', 'event', 'x'])).status).toBe(0);
  expect(jsonLines((await workshop.sheaf(['log', '--vault', 'vault', '--json'])).stdout)).toHaveLength(1);
});

test('stored control and bidi characters reach people spelled out and programs exactly', async () => {
  const workshop = openWorkshop();
  await makeVault(workshop);
  const subject = 'shop/\u202egnp';
  expect((await workshop.inVault('event', subject)).stdout).toContain('shop/<U+202E>gnp');
  expect((await workshop.inVault('log')).stdout).toContain('shop/<U+202E>gnp');
  expect((await workshop.inVault('show', '\u001b[2J')).stderr).not.toContain('\u001b');
  expect(jsonLines((await workshop.inVault('log', '--json')).stdout)[0]?.subject).toBe(subject);
});

test('explain knows every code that a command can print', async () => {
  const { sheaf } = openWorkshop();
  expect((await sheaf(['explain', '[version_conflict]'])).stdout).toMatch(/^version_conflict\n {2}The document changed/);
  expect(jsonLines((await sheaf(['explain', '--json'])).stdout).map(row => row.code)).toEqual(explanations.map(one => one.code));
  for (const code of Object.keys(errorCodes)) expect(explanations.find(one => one.code === code)?.remedy).toBeTruthy();
});

test('completion in bash offers commands, subcommands and options where they fit', async () => {
  const { sheaf } = openWorkshop();
  const script = (await sheaf(['completion', 'bash'])).stdout;
  const complete = (...words: string[]): string[] =>
    execFileSync('bash', [
      '-c',
      `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _sheaf; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      'sheaf',
      ...words,
    ])
      .toString()
      .split('\n')
      .filter(Boolean);
  expect(complete('lo')).toEqual(['log']);
  expect(complete('lease', 're')).toEqual(['renew', 'release']);
  expect(complete('--json', 'patch', 'a.md', '--if')).toEqual(['--if-match', '--if-absent']);
  for (const shell of ['zsh', 'fish']) {
    const { status, stdout } = await sheaf(['completion', shell]);
    expect(status).toBe(0);
    for (const command of program.commands) expect(stdout).toContain(command.name());
  }
  expect((await sheaf(['completion', 'tcsh'])).status).toBe(2);
});
