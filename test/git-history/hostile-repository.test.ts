import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findRepository } from '../../src/projections/history/git/find-repository.ts';
import { git, historyOf, makeDirectory, ref } from './git-fixture.ts';

/** Everything in a repository that can name a program, each leaving a mark of its own when it is run. */
const makeHostile = (root: string): string => {
  const marks = join(root, 'marks');
  mkdirSync(marks);
  const filters = ['clean', 'smudge', 'textconv'];
  const evil = (name: string): string => {
    const script = join(root, `evil-${name}`);
    writeFileSync(script, `#!/bin/sh\ntouch '${join(marks, name)}'\n${filters.includes(name) ? 'cat\n' : 'exit 1\n'}`);
    chmodSync(script, 0o755);
    return script;
  };
  const repository = join(root, 'repository');
  git(root, 'init', '-q', '-b', 'main', 'repository');
  const hooks = [
    'reference-transaction',
    'pre-commit',
    'post-commit',
    'post-index-change',
    'post-checkout',
    'pre-auto-gc',
    'update',
    'post-update',
    'post-rewrite',
  ];
  mkdirSync(join(repository, '.git/hooks'), { recursive: true });
  mkdirSync(join(repository, 'hooks'));
  for (const hook of hooks)
    for (const directory of ['.git/hooks', 'hooks']) symlinkSync(evil(`hook-${hook}`), join(repository, directory, hook));
  writeFileSync(
    join(repository, '.gitattributes'),
    '*.md filter=evil diff=evil merge=evil text eol=crlf working-tree-encoding=UTF-16 ident\n',
  );
  mkdirSync(join(repository, '.git/info'), { recursive: true });
  writeFileSync(join(repository, '.git/info/attributes'), '* filter=evil diff=evil\n');
  const settings: Readonly<Record<string, string>> = {
    'core.hooksPath': join(repository, 'hooks'),
    'core.fsmonitor': evil('fsmonitor'),
    'core.sshCommand': evil('ssh'),
    'core.pager': evil('pager'),
    'core.editor': evil('editor'),
    'core.askPass': evil('askpass'),
    'core.gitProxy': evil('proxy'),
    'core.alternateRefsCommand': evil('alternates'),
    'core.worktree': root,
    'core.autocrlf': 'true',
    'core.attributesFile': join(repository, '.gitattributes'),
    'filter.evil.clean': evil('clean'),
    'filter.evil.smudge': evil('smudge'),
    'filter.evil.process': evil('process'),
    'filter.evil.required': 'true',
    'diff.evil.textconv': evil('textconv'),
    'diff.evil.command': evil('diff'),
    'diff.external': evil('external'),
    'merge.evil.driver': evil('merge'),
    'gpg.program': evil('gpg'),
    'gpg.ssh.program': evil('gpg-ssh'),
    'commit.gpgSign': 'true',
    'log.showSignature': 'true',
    'credential.helper': evil('credential'),
    'extensions.partialClone': 'origin',
    'remote.origin.url': `ext::${evil('transport')}`,
    'remote.origin.promisor': 'true',
    'remote.origin.uploadpack': evil('uploadpack'),
    'protocol.allow': 'always',
    'protocol.ext.allow': 'always',
    'uploadpack.packObjectsHook': evil('pack-objects'),
    'gc.auto': '1',
    'maintenance.auto': 'true',
    'sequence.editor': evil('sequence'),
    ...Object.fromEntries(
      ['fast-import', 'update-ref', 'rev-parse', 'cat-file', 'unpack-objects', 'index-pack', 'gc'].flatMap(name => [
        [`alias.${name}`, `!${evil(`alias-${name}`)}`],
        [`pager.${name}`, evil(`pager-${name}`)],
      ]),
    ),
  };
  for (const [name, value] of Object.entries(settings))
    execFileSync('git', ['config', '--file', join(repository, '.git/config'), name, value]);
  execFileSync('git', ['config', '--file', join(repository, '.git/config'), 'core.repositoryFormatVersion', '1']);
  writeFileSync(join(root, 'included'), `[core]\n\tfsmonitor = ${evil('included')}\n`);
  execFileSync('git', ['config', '--file', join(repository, '.git/config'), 'include.path', join(root, 'included')]);
  return repository;
};

test('a hostile repository runs nothing: no hook, filter, monitor, converter, alias, pager, signer or transport, and its bytes are exact', async () => {
  const root = makeDirectory();
  const repository = makeHostile(root);
  // The trap is set: ordinary git does run into it.
  writeFileSync(join(repository, 'x.md'), 'x\n');
  try {
    git(repository, '-c', `safe.directory=*`, 'hash-object', '-w', 'x.md');
  } catch {
    // What a filter breaks is not our concern.
  }
  expect(readdirSync(join(root, 'marks')).length).toBeGreaterThan(0);
  rmSync(join(root, 'marks'), { recursive: true });
  mkdirSync(join(root, 'marks'));
  const hostile = {
    GIT_DIR: join(root, 'elsewhere'),
    GIT_SSH_COMMAND: join(root, 'evil-ssh'),
    GIT_EXTERNAL_DIFF: join(root, 'evil-diff'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: join(repository, 'hooks'),
    GIT_TRACE: join(root, 'traced'),
  };
  Object.assign(process.env, hostile);
  onTestFinished(() => {
    for (const name of Object.keys(hostile)) delete process.env[name];
  });
  const { record, history } = historyOf(repository);
  for (let index = 0; index < 150; index += 1) await record(`d${index}.md`, `Line $Id$\nnumber ${index}\n`);
  expect(await history.sync()).toMatchObject({ events: 150 });
  await record('d0.md', 'again\n');
  await history.sync();
  expect(await history.state()).toMatchObject({ reason: null, behind: 0 });
  for (const name of Object.keys(hostile)) delete process.env[name];
  expect(readdirSync(join(root, 'marks'))).toEqual([]);
  expect(existsSync(join(root, 'traced'))).toBe(false);
  expect(existsSync(join(root, 'elsewhere'))).toBe(false);
  writeFileSync(join(repository, '.git/config'), '[core]\n\trepositoryFormatVersion = 0\n\tbare = false\n');
  rmSync(join(repository, '.git/hooks'), { recursive: true });
  expect(execFileSync('git', ['cat-file', 'blob', `${ref}:d1.md`], { cwd: repository, encoding: 'utf8' })).toBe('Line $Id$\nnumber 1\n');
});

test('objects that a hostile repository keeps elsewhere are not fetched', async () => {
  const root = makeDirectory();
  const repository = makeHostile(root);
  const { record, history } = historyOf(repository);
  await record('a.md', 'A\n');
  await history.sync();
  await record('a.md', 'B\n');
  // The tree of the last commit is gone, so whoever wants it has to ask the promised remote.
  const plain = { PATH: process.env.PATH };
  const tree = execFileSync('git', ['rev-parse', `${ref}^{tree}`], { cwd: join(repository, '.git'), encoding: 'utf8', env: plain }).trim();
  rmSync(join(repository, '.git/objects', tree.slice(0, 2), tree.slice(2)));
  const marks = (): readonly string[] => readdirSync(join(root, 'marks'));
  spawnSync('git', ['cat-file', '-t', tree], { cwd: join(repository, '.git'), env: plain, timeout: 10_000 });
  expect(marks()).toContain('transport');
  for (const mark of marks()) rmSync(join(root, 'marks', mark));
  await expect(history.sync()).rejects.toThrow('fast-import');
  expect(marks()).toEqual([]);
});

test.each([
  [
    'a link in the place of the repository',
    (repository: string, root: string) => {
      renameSync(join(repository, '.git'), join(root, 'moved'));
      symlinkSync(join(root, 'moved'), join(repository, '.git'));
    },
  ],
  [
    'a file that names a repository which does not know it',
    (repository: string, root: string) => {
      renameSync(join(repository, '.git'), join(root, 'moved'));
      writeFileSync(join(repository, '.git'), `gitdir: ${join(root, 'moved')}\n`);
    },
  ],
  [
    'objects kept behind a link',
    (repository: string, root: string) => {
      renameSync(join(repository, '.git/objects'), join(root, 'moved'));
      symlinkSync(join(root, 'moved'), join(repository, '.git/objects'));
    },
  ],
  [
    'one directory of objects behind a link',
    (repository: string, root: string) => {
      mkdirSync(join(root, 'moved'));
      symlinkSync(join(root, 'moved'), join(repository, '.git/objects/ab'));
    },
  ],
  ['our refs behind a link', (repository: string) => symlinkSync('heads', join(repository, '.git/refs/sheaf'))],
  [
    'a shared directory named from a plain repository',
    (repository: string, root: string) => {
      writeFileSync(join(repository, '.git/commondir'), `${root}\n`);
    },
  ],
])('%s is refused, and nothing is written', async (_, change) => {
  const root = makeDirectory();
  git(root, 'init', '-q', 'repository');
  const repository = join(root, 'repository');
  change(repository, root);
  const { record, history } = historyOf(repository);
  await record('a.md', 'A\n');
  expect(findRepository(repository)).toMatchObject({ reason: expect.stringContaining('nothing is written') });
  await expect(history.sync()).rejects.toThrow('nothing is written');
});
