import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hashContent } from '#document';
import { createGitSchedule } from '../../src/projections/history/git/git-schedule.ts';
import { ada, bot, git, historyOf, makeDirectory, ref } from './git-fixture.ts';

test('a name in other letter case, and a directory in the place of a document, are what they are in the log, whatever the repository ignores', async () => {
  const root = makeDirectory();
  git(root, 'init', '-q');
  git(root, 'config', 'core.ignorecase', 'true');
  const { record, history } = historyOf(root);
  const steps: readonly (readonly [string, string | null])[] = [
    ['Tone.md', '1\n'],
    ['Tone.md', null],
    ['tone.md', '1\n'],
    ['Tone.md', '1\n'],
    ['tone.md', null],
    ['a.md/b.md', '1\n'],
    ['a.md/b.md', null],
    ['a.md', '1\n'],
    ['a.md', null],
    ['a.md/b.md', '2\n'],
  ];
  for (const [path, text] of steps) await record(path, text);
  await history.sync();
  expect(git(root, 'ls-tree', '-r', '--name-only', ref)).toBe('Tone.md\na.md/b.md\n');
});

test('each batch of one principal is a commit with its author, its time and its events; the tree is the documents by then', async () => {
  const root = makeDirectory();
  git(root, 'init', '-q');
  const { record, history } = historyOf(root);
  const one = await record('rules/a.md', 'A1\n', { principal: ada });
  const two = await record('rules/b "quoted" ü.md', 'B1\n', { principal: ada });
  const three = await record('rules/a.md', 'A2\n', { principal: bot });
  const four = await record('rules/b "quoted" ü.md', null, { principal: bot });
  expect(await history.sync()).toEqual({ commits: 2, events: 4 });
  expect(git(root, 'log', '--format=%an <%ae> %aI %cn|%s', ref).trim().split('\n')).toEqual([
    'agent:bot <agent:-bot-@sheaf.invalid> 2026-05-16T14:00:04+00:00 Sheaf|2 changes by agent:<bot>',
    'local:ada <local:ada@sheaf.invalid> 2026-05-16T14:00:02+00:00 Sheaf|2 changes by local:ada',
  ]);
  expect(git(root, 'show', '-s', '--format=%(trailers:key=Sheaf-Event,valueonly)', `${ref}~1`).trim().split('\n')).toEqual([one, two]);
  expect(git(root, 'show', '-s', '--format=%(trailers:key=Sheaf-Event,valueonly)', ref).trim().split('\n')).toEqual([three, four]);
  expect(git(root, 'ls-tree', '-r', '-z', '--name-only', `${ref}~1`)).toBe('rules/a.md\0rules/b "quoted" ü.md\0');
  expect(git(root, 'ls-tree', '-r', '-z', '--name-only', ref)).toBe('rules/a.md\0');
  expect(git(root, 'show', `${ref}:rules/a.md`)).toBe('A2\n');
  expect(git(root, 'for-each-ref', '--format=%(refname)')).toBe(`${ref}\n`);
  expect(git(root, 'fsck', '--strict')).not.toContain('error');
});

test('a later run, also by another process, goes on behind the last event, and one with nothing to do does nothing', async () => {
  const root = makeDirectory();
  git(root, 'init', '-q');
  const { record, history, open } = historyOf(root);
  await record('a.md', 'A1\n');
  await history.sync();
  expect(await history.sync()).toEqual({ commits: 0, events: 0 });
  const last = await record('a.md', 'A2\n');
  expect(await open().state()).toMatchObject({ reason: null, vaultInRepository: '', behind: 1 });
  expect(await open().sync()).toEqual({ commits: 1, events: 1 });
  expect(await open().state()).toMatchObject({ behind: 0, lastEventId: last, commit: git(root, 'rev-parse', ref).trim() });
});

test('two that write at once lose nothing and make nothing twice', async () => {
  const root = makeDirectory();
  git(root, 'init', '-q');
  const { record, open } = historyOf(root);
  const ids: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    for (let index = 0; index < 5; index += 1)
      ids.push(await record(`d${index}.md`, `${round}\n`, { principal: round % 2 === 0 ? ada : bot }));
    await Promise.all([open().sync(), open().sync(), open().sync()]);
  }
  const told = git(root, 'log', '--reverse', '--format=%(trailers:key=Sheaf-Event,valueonly)', ref)
    .split('\n')
    .filter(line => line !== '');
  expect(told).toEqual(ids);
});

test('the work of the person in the repository stays as it is: HEAD, index, branches and status', async () => {
  const root = makeDirectory();
  git(root, 'init', '-q', '-b', 'main');
  writeFileSync(join(root, 'own.txt'), 'x');
  git(root, 'add', 'own.txt');
  git(root, 'commit', '-q', '-m', 'own');
  writeFileSync(join(root, 'staged.txt'), 'y');
  git(root, 'add', 'staged.txt');
  const before = [git(root, 'status', '--porcelain'), git(root, 'rev-parse', 'HEAD'), git(root, 'write-tree'), git(root, 'branch')];
  const { record, history } = historyOf(root);
  await record('a.md', 'A\n');
  await history.sync();
  expect([git(root, 'status', '--porcelain'), git(root, 'rev-parse', 'HEAD'), git(root, 'write-tree'), git(root, 'branch')]).toEqual(
    before,
  );
});

test('a vault in a directory of the repository keeps its place in the tree, and a worktree writes to the repository it belongs to', async () => {
  const root = makeDirectory();
  git(root, 'init', '-q', '-b', 'main', 'main');
  const main = join(root, 'main');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'own');
  git(main, 'worktree', 'add', '-q', '../linked');
  const vault = join(root, 'linked', 'notes', 'vault');
  mkdirSync(vault, { recursive: true });
  const { record, history } = historyOf(vault);
  await record('a.md', 'A\n');
  await history.sync();
  expect(git(main, 'ls-tree', '-r', '--name-only', ref)).toBe('notes/vault/a.md\n');
});

test('a repository with SHA-256 is written like any other', async () => {
  const root = makeDirectory();
  git(root, 'init', '-q', '--object-format=sha256');
  const { record, history } = historyOf(root);
  await record('a.md', 'A\n');
  await history.sync();
  await record('a.md', 'B\n');
  await history.sync();
  expect(git(root, 'rev-parse', ref).trim()).toHaveLength(64);
  expect(git(root, 'show', `${ref}:a.md`)).toBe('B\n');
});

test('a content that is not kept leaves its document as it was, and the commit says so', async () => {
  const root = makeDirectory();
  git(root, 'init', '-q');
  const { record, history, contents } = historyOf(root);
  await record('a.md', 'A\n');
  await history.sync();
  await record('a.md', 'B\n');
  await contents.remove(hashContent('B\n'));
  await history.sync();
  expect(git(root, 'show', '-s', '--format=%(trailers:key=Sheaf-Missing,valueonly)', ref).trim()).toBe('a.md');
  expect(git(root, 'show', `${ref}:a.md`)).toBe('A\n');
});

test('the history of another vault, a ref of somebody else and a log that lost its end are left alone', async () => {
  const root = makeDirectory();
  git(root, 'init', '-q');
  const first = historyOf(root);
  await first.record('a.md', 'A\n');
  await first.history.sync();
  const tip = git(root, 'rev-parse', ref);
  const other = historyOf(root, 'ws-other');
  await other.record('b.md', 'B\n');
  await expect(other.history.sync()).rejects.toThrow("the history of another vault, 'ws-acme'");
  const again = historyOf(root);
  await again.record('b.md', 'B\n');
  await expect(again.history.sync()).rejects.toThrow('which this log does not hold');
  expect(git(root, 'rev-parse', ref)).toBe(tip);
  git(root, 'commit', '-q', '--allow-empty', '-m', 'own');
  git(root, 'update-ref', ref, 'HEAD');
  await expect(first.history.sync()).rejects.toThrow('was not written by Sheaf');
  expect(await first.history.state()).toMatchObject({ reason: expect.stringContaining('was not written by Sheaf') });
});

test('without a repository it says how to get one', async () => {
  const { history, record } = historyOf(makeDirectory());
  await record('a.md', 'A\n');
  await expect(history.sync()).rejects.toThrow('git init');
  expect(await history.state()).toMatchObject({ reason: expect.stringContaining('git init'), behind: null });
});

test('a symbolic ref in the place of ours does not move a branch', async () => {
  const root = makeDirectory();
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'own');
  const main = git(root, 'rev-parse', 'main');
  git(root, 'symbolic-ref', ref, 'refs/heads/main');
  const { record, history } = historyOf(root);
  await record('a.md', 'A\n');
  await expect(history.sync()).rejects.toThrow('was not written by Sheaf');
  git(root, 'symbolic-ref', ref, 'refs/heads/unborn');
  await history.sync().catch(() => undefined);
  expect(git(root, 'rev-parse', 'main')).toBe(main);
  expect(git(root, 'branch', '--format=%(refname)')).toBe('refs/heads/main\n');
});

test('a process that lives on commits a little later by itself, says when it cannot, and stops when it is closed', async () => {
  const root = makeDirectory();
  const { record, history } = historyOf(root);
  const schedule = createGitSchedule(history, 5);
  await record('a.md', 'A\n');
  schedule.poke();
  await expect.poll(() => schedule.problem(), { timeout: 20_000 }).toContain('git init');
  git(root, 'init', '-q');
  schedule.poke();
  schedule.poke();
  await expect.poll(async () => (await history.state()).behind, { timeout: 20_000 }).toBe(0);
  await expect.poll(() => schedule.problem(), { timeout: 20_000 }).toBeNull();
  await record('a.md', 'B\n');
  await schedule.close();
  schedule.poke();
  expect(await history.state()).toMatchObject({ behind: 1 });
}, 60_000);

test('more than a pipe holds goes through it without leaving anything behind', async () => {
  const root = makeDirectory();
  git(root, 'init', '-q');
  const { record, history } = historyOf(root);
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning.name);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  for (let index = 0; index < 60; index += 1) await record(`d${index}.md`, `${'text '.repeat(40_000)}${index}\n`);
  expect(await history.sync()).toMatchObject({ events: 60 });
  expect(git(root, 'ls-tree', '-r', '--name-only', ref).trim().split('\n')).toHaveLength(60);
  expect(warnings).toEqual([]);
});
