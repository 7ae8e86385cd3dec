import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  watch as watchDirectoryOf,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchFiles } from './watch-files.ts';

type Options = Parameters<typeof watchFiles>[0];

/** A directory under watch, and what was told of it since the last look. */
const watched = async (options: Partial<Options> = {}, before: (root: string) => void = () => undefined) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-watch-')));
  const root = join(base, 'vault');
  mkdirSync(join(root, 'memory'), { recursive: true });
  before(root);
  const told = new Set<string>();
  const states: (string | null)[] = [];
  const watch = await watchFiles({ root, ...options })({
    changed: paths => {
      for (const path of paths) told.add(path);
    },
    lost: reason => void states.push(reason),
  });
  onTestFinished(() => {
    watch.close();
    rmSync(base, { recursive: true, force: true });
  });
  const write = (path: string, text = 'x') => writeFileSync(join(root, path), text);
  return {
    base,
    root,
    watch,
    states,
    told,
    write,
    tells: (...paths: string[]) => vi.waitFor(() => expect([...told]).toEqual(expect.arrayContaining(paths)), { timeout: 5_000 }),
  };
};

test('written, renamed and removed files are told, in directories old and new', async () => {
  const { root, write, tells, told } = await watched();
  write('memory/a.md');
  await tells('memory/a.md');
  renameSync(join(root, 'memory/a.md'), join(root, 'memory/b.md'));
  await tells('memory/a.md', 'memory/b.md');
  mkdirSync(join(root, 'memory/deep/deeper'), { recursive: true });
  await tells('memory/deep/');
  told.clear();
  write('memory/deep/deeper/c.md');
  await tells('memory/deep/deeper/c.md');
  rmSync(join(root, 'memory/b.md'));
  await tells('memory/b.md');
});

test('a directory that is moved is told at both places, and watched on at the new one', async () => {
  const { root, write, tells, told } = await watched({}, vault => mkdirSync(join(vault, 'memory/facts')));
  renameSync(join(root, 'memory'), join(root, 'notes'));
  await tells('memory/', 'notes/');
  told.clear();
  write('notes/facts/a.md');
  await tells('notes/facts/a.md');
  expect([...told].filter(path => path.startsWith('memory'))).toEqual([]);
});

test('what takes the name of a moved directory is watched in its place', async () => {
  const { root, write, tells, told } = await watched();
  renameSync(join(root, 'memory'), join(root, 'old'));
  mkdirSync(join(root, 'memory'));
  await tells('memory/', 'old/');
  told.clear();
  write('memory/a.md');
  write('old/b.md');
  await tells('memory/a.md', 'old/b.md');
});

test('the reserved directories and what lies behind links tell nothing', async () => {
  const { root, base, write, tells, told } = await watched({}, vault => {
    for (const reserved of ['.git', '.ssss', '.ssss-intents']) mkdirSync(join(vault, reserved));
    mkdirSync(join(vault, '../elsewhere'));
    symlinkSync('../elsewhere', join(vault, 'link'));
  });
  for (const path of ['.git/index', '.ssss/x', '.ssss-intents/y', '../elsewhere/z.md']) write(path);
  writeFileSync(join(base, 'elsewhere/later.md'), 'x');
  symlinkSync('../../elsewhere', join(root, 'memory/link'));
  write('last.md');
  await tells('memory/link', 'last.md');
  expect([...told].sort()).toEqual(['last.md', 'memory/link']);
});

test('when the system allows no more watches that is said, and tried again until it goes', async () => {
  let allowed = 1;
  const watchDirectory: NonNullable<Options['watchDirectory']> = (directory, tell) => {
    if (allowed === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    allowed -= 1;
    return watchDirectoryOf(directory, { persistent: false }, tell);
  };
  const { states, tells, told, write } = await watched({ watchDirectory, platform: 'linux', retryMs: 50 });
  expect(states[0]).toContain('max_user_watches');
  await vi.waitFor(() => expect(states.length).toBeGreaterThan(1));
  expect(told).toEqual(new Set());
  allowed = 100;
  // What was missed may be anything.
  await tells('');
  expect(states.at(-1)).toBeNull();
  write('memory/a.md');
  await tells('memory/a.md');
});

test('on a file system that others change unseen, changes made here are told and the rest is said to be missing', async () => {
  const { states, write, tells } = await watched({ fileSystemType: () => 0x6969, platform: 'linux' });
  expect(states).toEqual([expect.stringContaining('NFS')]);
  write('memory/a.md');
  await tells('memory/a.md');
});

test('a vault that is moved away is said, and found again when it is back', async () => {
  const { root, base, states, told, tells } = await watched({ retryMs: 50 });
  renameSync(root, join(base, 'away'));
  await vi.waitFor(() => expect(states).toContainEqual(expect.stringMatching(/gone|ENOENT/)));
  told.clear();
  renameSync(join(base, 'away'), root);
  await tells('');
  expect(states.at(-1)).toBeNull();
});

test('git is at work while it holds its lock, in a linked working tree too, unless the lock is old', async () => {
  const { root, base, watch } = await watched();
  expect(watch.busy()).toBe(false);
  mkdirSync(join(base, '.git'));
  writeFileSync(join(base, '.git/index.lock'), '');
  expect(watch.busy()).toBe(true);
  mkdirSync(join(base, 'kept'));
  writeFileSync(join(root, '.git'), 'gitdir: ../kept\n');
  expect(watch.busy()).toBe(false);
  writeFileSync(join(base, 'kept/index.lock'), '');
  expect(watch.busy()).toBe(true);
  utimesSync(join(base, 'kept/index.lock'), 1, 1);
  expect(watch.busy()).toBe(false);
});

test('nothing is told after the end', async () => {
  const { watch, write, told } = await watched();
  watch.close();
  write('memory/a.md');
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(told).toEqual(new Set());
});
