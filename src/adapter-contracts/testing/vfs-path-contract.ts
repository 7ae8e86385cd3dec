import assert from 'node:assert/strict';
import type { Vfs, VfsEntry } from '#adapter-contracts';
import { type ContractHarness, type OpenStore, withStore } from './contract-harness.ts';
import { assertRefused } from './refusal.ts';
import { sampleEvent } from './sample-event.ts';

const bytes = new TextEncoder().encode('text\n');

/** Every kind of path that no envelope may name (§6.1, readings: paths). */
const unsafePaths: readonly string[] = [
  '',
  '/',
  '/etc/passwd.md',
  'a//b.md',
  'a/',
  '.',
  '..',
  './a.md',
  'a/./b.md',
  '../a.md',
  'a/../b.md',
  'a/..',
  'a\\b.md',
  '..\\a.md',
  'C:/a.md',
  'nul\u0000.md',
  'line\n.md',
  'del\u007f.md',
  'lone\ud800.md',
  '.git/config.md',
  'a/.git/hooks/x.md',
  '.GIT/x.md',
  '.g\u200cit/x.md',
  'git~1/x.md',
  '.ssss/events/x.md',
  '.SSSS/x.md',
  '.ssss-intents/x.md',
  'a/.ssss-anything/x.md',
  `${'s'.repeat(256)}.md`,
  `${'é'.repeat(128)}.md`,
  `${'d/'.repeat(512)}n.md`,
];

/** Pairs that some operating system mixes up: letter case, Unicode form, full folding, in any segment. */
const twins: readonly (readonly [string, string])[] = [
  ['memory/n.md', 'memory/N.md'],
  ['memory/n.md', 'MEMORY/n.md'],
  ['a/b/c.md', 'A/b/C.md'],
  ['caf\u00e9.md', 'cafe\u0301.md'],
  ['caf\u00e9/n.md', 'CAFE\u0301/n.md'],
  ['stra\u00dfe.md', 'STRASSE.md'],
  ['\u03c3.md', '\u03c2.md'],
  // Not the same name, but one directory for some systems, in which both would then lie.
  ['memory/n.md', 'Memory/other.md'],
  ['a/b/c.md', 'a/B/d/e.md'],
  ['a.md/n.md', 'A.md'],
];

const create = async (vfs: Vfs, ...paths: readonly string[]): Promise<void> => {
  for (const path of paths) await vfs.writeAtomic(path, bytes, { ifAbsent: true });
};

export const listAll = async (vfs: Vfs, prefix?: string): Promise<readonly VfsEntry[]> => {
  const entries: VfsEntry[] = [];
  for await (const entry of vfs.list(prefix)) entries.push(entry);
  return entries;
};

const listPaths = async (vfs: Vfs, prefix?: string): Promise<readonly string[]> => (await listAll(vfs, prefix)).map(({ path }) => path);

const registerRefusalTests = (harness: ContractHarness<'vfs'>): void => {
  const { test } = harness;
  test('no call accepts an unsafe path', () =>
    withStore(harness, async ({ vfs }) => {
      for (const path of unsafePaths) {
        const what = `${JSON.stringify(path.slice(0, 40))}:`;
        await assertRefused(() => vfs.read(path), 'invalid_request', `read ${what}`);
        await assertRefused(() => vfs.writeAtomic(path, bytes, { ifAbsent: true }), 'invalid_request', `write ${what}`);
        await assertRefused(() => vfs.remove(path, { version: 'v' }), 'invalid_request', `remove ${what}`);
        await assertRefused(() => vfs.findTwin(path), 'invalid_request', `findTwin ${what}`);
        if (path !== '' && !path.endsWith('/')) await assertRefused(() => listAll(vfs, path), 'invalid_request', `list ${what}`);
      }
      assert.deepEqual(await listAll(vfs), []);
    }));

  test('a directory is no document', () =>
    withStore(harness, async ({ vfs }) => {
      await create(vfs, 'a.md/b.md');
      await assertRefused(() => vfs.read('a.md'), 'invalid_request');
      await assertRefused(() => vfs.writeAtomic('a.md', bytes, { ifAbsent: true }), 'invalid_request');
      await assertRefused(() => vfs.remove('a.md', { version: 'v' }), 'invalid_request');
      assert.deepEqual(await listPaths(vfs), ['a.md/b.md']);
    }));

  test('nothing lies below a document', () =>
    withStore(harness, async ({ vfs }) => {
      await create(vfs, 'a.md');
      for (const path of ['a.md/b.md', 'a.md/b/c.md']) {
        await assertRefused(() => vfs.read(path), 'invalid_request');
        await assertRefused(() => vfs.writeAtomic(path, bytes, { ifAbsent: true }), 'invalid_request');
        await assertRefused(() => vfs.remove(path, { version: 'v' }), 'invalid_request');
      }
      assert.deepEqual(await listPaths(vfs), ['a.md']);
    }));

  test('safe paths that look odd work', () =>
    withStore(harness, async ({ vfs }) => {
      const odd = [
        '...md',
        '..a.md',
        '.hidden/n.md',
        '__proto__.md',
        'constructor/toString.md',
        'spaced name/ü 🗝️.md',
        '.gitignore.md',
        'git/n.md',
        `${'s'.repeat(252)}.md`,
      ];
      await create(vfs, ...odd);
      assert.deepEqual(await listPaths(vfs), [...odd].sort());
      for (const path of odd) assert.ok((await vfs.read(path)) !== null, `'${path}' must be there`);
    }));
};

/** Creates documents as a kernel does: a store that knows documents by its log learns of them only by their events. */
const createRecorded = async ({ vfs, events }: OpenStore<'vfs'>, ...paths: readonly string[]): Promise<void> => {
  for (const path of paths) {
    const { hash } = await vfs.writeAtomic(path, bytes, { ifAbsent: true });
    await events?.append(sampleEvent({ subject: path, after_hash: hash }));
  }
};

const registerTwinTests = (harness: ContractHarness<'vfs'>): void => {
  const { test } = harness;
  test('a twin is found by letter case and Unicode form of any segment, in both directions', () =>
    withStore(harness, async store => {
      const bothWays = twins.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]);
      for (const [index, pair] of bothWays.entries()) {
        const [stored, asked] = [`${index}/${pair[0]}`, `${index}/${pair[1]}`];
        await createRecorded(store, stored);
        assert.equal(await store.vfs.findTwin(asked), stored, `twin of '${asked}'`);
        assert.equal(await store.vfs.findTwin(stored), null, 'a path is not its own twin');
      }
    }));

  test('names that merely resemble each other are no twins', () =>
    withStore(harness, async store => {
      await createRecorded(store, 'memory/n.md', 'memory/sub/n.md', 'n.md');
      for (const path of ['memory/m.md', 'memory/n.md2.md', 'memory/sub/m.md', 'memory/sub/deep/n.md', 'memo/N.md', 'sub/N.md']) {
        assert.equal(await store.vfs.findTwin(path), null, path);
      }
    }));

  test('a removed document is nobody’s twin', () =>
    withStore(harness, async store => {
      const { vfs, events } = store;
      await createRecorded(store, 'D/n.md');
      const { version = '' } = (await vfs.read('D/n.md')) ?? {};
      await vfs.remove('D/n.md', { version });
      assert.equal(await vfs.findTwin('d/N.md'), null, 'a twin is confirmed against what is stored');
      await events?.append(sampleEvent({ subject: 'D/n.md', action: 'delete', after_hash: null }));
      assert.equal(await vfs.findTwin('d/N.md'), null);
      await createRecorded(store, 'd/N.md');
      assert.equal(await vfs.findTwin('D/n.md'), 'd/N.md');
    }));
};

const registerListTests = (harness: ContractHarness<'vfs'>): void => {
  const { test } = harness;
  test('an empty vault lists nothing', () =>
    withStore(harness, async ({ vfs }) => {
      assert.deepEqual(await listAll(vfs), []);
      assert.deepEqual(await listAll(vfs, 'memory'), []);
    }));

  test('list names every document once, sorted by UTF-16 code units of the whole path', () =>
    withStore(harness, async ({ vfs }) => {
      // '-' and '.' sort before '/', and U+FF5E after the surrogates of an emoji: orders by segment or by code point differ.
      const paths = ['b.md', 'a/z.md', 'a-b/n.md', 'a.md', 'a/b/c.md', 'B.md2/n.md', '\uff5e.md', '🗝.md', 'ä.md', 'a0.md'];
      await create(vfs, ...paths);
      assert.deepEqual(
        await listAll(vfs),
        [...paths].sort().map(path => ({ path, kind: 'file' })),
      );
    }));

  test('a prefix is a directory, with or without its slash', () =>
    withStore(harness, async ({ vfs }) => {
      await create(vfs, 'a/1.md', 'a/b/2.md', 'ab/3.md', 'a.md');
      assert.deepEqual(await listPaths(vfs, 'a'), ['a/1.md', 'a/b/2.md']);
      assert.deepEqual(await listPaths(vfs, 'a/'), ['a/1.md', 'a/b/2.md']);
      assert.deepEqual(await listPaths(vfs, 'a/b'), ['a/b/2.md']);
      assert.deepEqual(await listPaths(vfs, 'none'), []);
      assert.deepEqual(await listPaths(vfs, ''), ['a.md', 'a/1.md', 'a/b/2.md', 'ab/3.md']);
    }));

  test('list follows writes and removals', () =>
    withStore(harness, async ({ vfs }) => {
      const { version } = await vfs.writeAtomic('a/1.md', bytes, { ifAbsent: true });
      await create(vfs, 'a/2.md');
      await vfs.remove('a/1.md', { version });
      assert.deepEqual(await listPaths(vfs), ['a/2.md']);
    }));
};

/** Registers the tests of what a VFS calls a path: refusals, twins, listing (§6.1, §6.7, readings: paths, case twins). */
export const registerVfsPathTests = (harness: ContractHarness<'vfs'>): void => {
  registerRefusalTests(harness);
  registerTwinTests(harness);
  registerListTests(harness);
};
