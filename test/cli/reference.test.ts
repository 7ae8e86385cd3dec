import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';

const program = createProgram(() => async () => undefined, []);
const page = readFileSync('docs/reference/command-line.md', 'utf8');

const leaves = (command: Command, path: string): { readonly usage: string; readonly command: Command }[] =>
  command.commands.flatMap(child => {
    const name = `${path} ${child.name()}`;
    if (child.commands.length > 0) return leaves(child, name);
    const words = child.registeredArguments.map(argument => {
      const word = argument.variadic ? `${argument.name()}…` : argument.name();
      return argument.required ? word : `[${word}]`;
    });
    return [{ usage: [name, ...words].join(' '), command: child }];
  });

const flagsOf = (command: Command): string[] => command.options.map(option => option.flags.replace(/<([^>]+)>/g, '$1'));
const rowsOf = (text: string): string[] => [...text.matchAll(/^\| `(-[^`]*)` \|/gm)].map(match => match[1] ?? '');
const section = (heading: string): string => {
  const [, after = ''] = page.split(`\n${heading}\n`);
  return after.split(/\n#{2,3} /)[0] ?? '';
};

test('every command stands in the reference with its arguments, and no other', () => {
  const documented = [...page.matchAll(/^### `([^`]+)`$/gm)].map(match => match[1]);
  expect([...documented].sort()).toEqual(
    leaves(program, 'sheaf')
      .map(leaf => leaf.usage)
      .sort(),
  );
});

test('every option of every command stands in the reference, and no other', () => {
  const shared = rowsOf(section('## Change documents'));
  expect(shared).toContain('--key KEY');
  expect(rowsOf(section('## What holds for every command'))).toEqual(flagsOf(program));
  for (const { usage, command } of leaves(program, 'sheaf')) {
    const writes = ['write', 'patch', 'append', 'event', 'rm'].includes(command.name()) && command.parent === program;
    const documented = [...rowsOf(section(`### \`${usage}\``)), ...(writes ? shared : [])];
    expect(documented.sort(), usage).toEqual(flagsOf(command).sort());
  }
});

test('every example in the reference is an example of the help', () => {
  for (const { usage, command } of leaves(program, 'sheaf')) {
    const text = command.helpInformation();
    for (const line of (section(`### \`${usage}\``).match(/```sh\n([\s\S]*?)```/)?.[1] ?? '').split('\n').filter(Boolean)) {
      expect(text, usage).toContain(`$ ${line}`);
    }
  }
});

const sources = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(ts|cjs|mjs)$/.test(entry.name) && !entry.name.includes('.test.'))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => !file.includes('testing/'));

test('every environment variable that the code reads stands in the configuration reference, and no other', () => {
  const text = readFileSync('docs/reference/configuration.md', 'utf8');
  const read = ['src', 'bin', 'scripts', 'bench'].flatMap(sources).flatMap(file => {
    const code = readFileSync(file, 'utf8');
    return [...code.matchAll(/\b(?:process\.env|environment)(?:\.|\[')([A-Z][A-Z0-9_]+)/g)].map(match => match[1] ?? '');
  });
  const documented = [...text.matchAll(/`\$?([A-Z][A-Z0-9]*_?[A-Z0-9_]+)`/g)].map(match => match[1] ?? '');
  expect([...new Set(documented)].sort()).toEqual([...new Set(read)].sort());
});

test('every configuration file of the vault stands in the configuration reference with its members, and no other', () => {
  const text = readFileSync('docs/reference/configuration.md', 'utf8');
  const membersBelow = (heading: string): string[] => {
    const [, after = ''] = text.split(`\n### \`${heading}\`\n`);
    return [...(after.split(/\n#{2,3} /)[0] ?? '').matchAll(/^\| `([a-z_]+)` \|/gm)].map(match => match[1] ?? '');
  };
  const files = [...text.matchAll(/^### `([^`]+)`$/gm)].map(match => match[1]);
  const vaultFiles = readFileSync('src/workspace/vault-files.ts', 'utf8');
  expect(files).toEqual(['.ssss/workspace.json', '.ssss/extensions/<id>.json', '.ssss/registry.lock.json', '.ssss/policy.json']);
  const configured = [...vaultFiles.matchAll(/'(\.ssss\/[a-z.]+\.json)'/g)].map(match => match[1]);
  // The lock of a change in progress is nobody's to write.
  expect(configured.filter(file => file !== '.ssss/registry.lock.next.json').sort()).toEqual(
    files.filter(file => !file?.includes('<id>')).sort(),
  );
  const workspaceShape = readFileSync('src/workspace/workspace-file.ts', 'utf8').match(/z\.strictObject\(\{([\s\S]*?)\n\}\)/)?.[1] ?? '';
  expect(membersBelow('.ssss/workspace.json')).toEqual([...workspaceShape.matchAll(/^ {2}([a-z_]+):/gm)].map(match => match[1]));
  const policyShape = readFileSync('src/policy/policy.ts', 'utf8').match(/policyShape: Shape = record\(\{([\s\S]*?)\n\}\)/)?.[1] ?? '';
  expect(membersBelow('.ssss/policy.json')).toEqual([...policyShape.matchAll(/^ {2}([a-z_]+):/gm)].map(match => match[1]));
});
