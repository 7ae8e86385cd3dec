import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CanonicalEvent } from '#adapter-contracts';
import { sampleEvent } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { createMemoryStore } from '#stores/memory';
import { createMemoryContentStore } from '../memory-content-store.ts';
import { findRepository } from './find-repository.ts';
import { createGitHistory } from './git-history.ts';
import { createGitSchedule } from './git-schedule.ts';

const workspaceId = 'ws-acme';
const ref = 'refs/sheaf/history';

const makeDirectory = (): string => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-git-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};
const git = (directory: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
    cwd: directory,
    encoding: 'utf8',
    stdio: 'pipe',
  });

/** A log with kept contents over a directory; `record` appends an event and keeps what it left. */
const historyOf = (root: string, id = workspaceId) => {
  const { events, vfs } = createMemoryStore();
  const contents = createMemoryContentStore();
  let seconds = 0;
  const record = async (path: string, text: string | null, more: Partial<CanonicalEvent> = {}): Promise<string> => {
    const last = await events.lastRecorded(id, path);
    const after = text === null ? null : hashContent(text);
    if (text !== null) await contents.keep([{ hash: after!, bytes: new TextEncoder().encode(text) }]);
    const action = text === null ? 'delete' : last?.hash == null ? 'create' : 'replace';
    seconds += 1;
    const timestamp = new Date(Date.UTC(2026, 4, 16, 14, 0, seconds)).toISOString();
    const event = sampleEvent({
      workspace_id: id,
      subject: path,
      action,
      before_hash: last?.hash ?? null,
      after_hash: after,
      timestamp,
      ...more,
    });
    await events.append(event);
    return event.event_id;
  };
  const open = () =>
    createGitHistory({
      root,
      events,
      workspaceId: id,
      find: async hash => (await contents.find(hash)) ?? (await vfs.read('x').catch(() => null))?.bytes ?? null,
    });
  return { record, events, contents, open, history: open() };
};
const ada = { ...sampleEvent({}).principal, id: 'local:ada' };
const bot = { ...sampleEvent({}).principal, id: 'agent:<bot>\n' };

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
