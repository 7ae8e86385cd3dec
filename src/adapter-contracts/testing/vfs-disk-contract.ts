import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Vfs } from '#adapter-contracts';
import { type ContractHarness, locationOf, type OpenStore, withStore } from './contract-harness.ts';
import { assertRefused } from './refusal.ts';
import { listAll } from './vfs-path-contract.ts';

/** How the suite reaches the files of a VFS that keeps one file per document. */
export interface VfsDisk {
  /** The absolute directory that vault paths are relative to. */
  root(location: string): string;
}

const bytes = new TextEncoder().encode('text\n');
const posix = process.platform !== 'win32';

const assertUntouchable = async (vfs: Vfs, path: string): Promise<void> => {
  await assertRefused(() => vfs.read(path), 'invalid_request', `read '${path}':`);
  await assertRefused(() => vfs.writeAtomic(path, bytes, { ifAbsent: true }), 'invalid_request', `create '${path}':`);
  await assertRefused(() => vfs.writeAtomic(path, bytes, { version: 'v' }), 'invalid_request', `replace '${path}':`);
  await assertRefused(() => vfs.remove(path, { version: 'v' }), 'invalid_request', `remove '${path}':`);
};

type OnDisk = (body: (store: OpenStore<'vfs'>, root: string) => Promise<void>) => Promise<void>;

const registerLinkTests = ({ test }: ContractHarness<'vfs'>, onDisk: OnDisk): void => {
  test('a symbolic link is never followed, wherever it leads', () =>
    onDisk(async ({ vfs }, root) => {
      await vfs.writeAtomic('real/n.md', bytes, { ifAbsent: true });
      const outside = `${root}-outside`;
      mkdirSync(outside, { recursive: true });
      try {
        writeFileSync(join(outside, 'secret.md'), 'secret');
        symlinkSync(join(outside, 'secret.md'), join(root, 'file-out.md'));
        symlinkSync(outside, join(root, 'out'));
        symlinkSync(join(root, 'real'), join(root, 'in'));
        symlinkSync(join(root, 'real', 'n.md'), join(root, 'file-in.md'));
        symlinkSync(join(root, 'nowhere'), join(root, 'dangling.md'));
        for (const path of [
          'file-out.md',
          'out/secret.md',
          'out/new.md',
          'out/a/new.md',
          'in/n.md',
          'in/new.md',
          'file-in.md',
          'dangling.md',
        ]) {
          await assertUntouchable(vfs, path);
        }
        assert.deepEqual(readdirSync(outside), ['secret.md']);
        assert.equal(readFileSync(join(outside, 'secret.md'), 'utf8'), 'secret');
        assert.equal(existsSync(join(root, 'nowhere')), false);
        assert.ok(lstatSync(join(root, 'dangling.md')).isSymbolicLink());
      } finally {
        rmSync(outside, { recursive: true });
      }
    }));

  test('a directory swapped for a link after it was written to is refused', () =>
    onDisk(async ({ vfs }, root) => {
      const { version } = await vfs.writeAtomic('d/n.md', bytes, { ifAbsent: true });
      renameSync(join(root, 'd'), join(root, 'moved'));
      symlinkSync(join(root, 'moved'), join(root, 'd'));
      await assertRefused(() => vfs.writeAtomic('d/n.md', new Uint8Array(), { version }), 'invalid_request');
      await assertRefused(() => vfs.remove('d/n.md', { version }), 'invalid_request');
      assert.deepEqual(new Uint8Array(readFileSync(join(root, 'moved', 'n.md'))), bytes);
    }));

  test('list reports links and special files with a reason and does not descend into them', () =>
    onDisk(async ({ vfs }, root) => {
      await vfs.writeAtomic('real/n.md', bytes, { ifAbsent: true });
      symlinkSync(join(root, 'real'), join(root, 'link'));
      symlinkSync(join(root, 'nowhere'), join(root, 'dangling.md'));
      const expected = new Map([
        ['dangling.md', 'symlink'],
        ['link', 'symlink'],
        ['real/n.md', 'file'],
      ]);
      if (posix) {
        execFileSync('mkfifo', [join(root, 'pipe.md')]);
        expected.set('pipe.md', 'other');
      }
      const entries = await listAll(vfs);
      assert.deepEqual(new Map(entries.map(({ path, kind }) => [path, kind])), expected);
      assert.deepEqual(
        entries.map(({ path }) => path),
        [...expected.keys()].sort(),
      );
      for (const { kind, reason = '' } of entries) assert.equal(reason.length > 0, kind !== 'file');
    }));

  if (posix) {
    test('a special file as document is refused instead of waited for', () =>
      onDisk(async ({ vfs }, root) => {
        execFileSync('mkfifo', [join(root, 'pipe.md')]);
        await assert.rejects(vfs.read('pipe.md'));
        await assert.rejects(vfs.writeAtomic('pipe.md', bytes, { ifAbsent: true }));
        assert.ok(lstatSync(join(root, 'pipe.md')).isFIFO());
      }));
  }
};

const registerHandEditTests = ({ test }: ContractHarness<'vfs'>, onDisk: OnDisk): void => {
  test('a hand edit is read, and a swap on what stood there before loses to it', () =>
    onDisk(async ({ vfs }, root) => {
      const { version } = await vfs.writeAtomic('n.md', bytes, { ifAbsent: true });
      writeFileSync(join(root, 'n.md'), 'text\nadded by hand\n');
      await assertRefused(() => vfs.writeAtomic('n.md', new Uint8Array(), { version }), 'version_conflict');
      await assertRefused(() => vfs.remove('n.md', { version }), 'version_conflict');
      const edited = await vfs.read('n.md');
      assert.equal(new TextDecoder().decode(edited?.bytes), 'text\nadded by hand\n');
      await vfs.writeAtomic('n.md', bytes, { version: edited?.version ?? '' });
      assert.equal((await vfs.read('n.md'))?.version, version);
    }));

  test('an edit that keeps size and times is still an edit', () =>
    onDisk(async ({ vfs }, root) => {
      const { version } = await vfs.writeAtomic('n.md', bytes, { ifAbsent: true });
      writeFileSync(join(root, 'n.md'), 'TEXT\n');
      await assertRefused(() => vfs.writeAtomic('n.md', new Uint8Array(), { version }), 'version_conflict');
      assert.equal(readFileSync(join(root, 'n.md'), 'utf8'), 'TEXT\n');
    }));

  test('documents made, moved and removed by hand are seen by read, list and findTwin’s confirmation', () =>
    onDisk(async ({ vfs }, root) => {
      await vfs.writeAtomic('a/n.md', bytes, { ifAbsent: true });
      mkdirSync(join(root, 'hand'));
      renameSync(join(root, 'a', 'n.md'), join(root, 'hand', 'n.md'));
      assert.equal(await vfs.read('a/n.md'), null);
      assert.equal(await vfs.findTwin('A/n.md'), null, 'a twin must be confirmed on the disk');
      assert.deepEqual(await listAll(vfs), [{ path: 'hand/n.md', kind: 'file' }]);
      await assertRefused(() => vfs.writeAtomic('hand/n.md', bytes, { ifAbsent: true }), 'version_conflict');
    }));

  test('list leaves out what belongs to the host and to git, and nothing else', () =>
    onDisk(async ({ vfs }, root) => {
      await vfs.writeAtomic('n.md', bytes, { ifAbsent: true });
      const put = (path: string) => {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), 'x');
      };
      for (const path of ['.git/config', 'sub/.git/config', '.ssss/x.md', '.ssss-other/x.md']) put(path);
      for (const path of ['.obsidian/app.json', 'picture.png', 'README']) put(path);
      assert.deepEqual(
        (await listAll(vfs)).map(({ path }) => path),
        ['.obsidian/app.json', 'README', 'n.md', 'picture.png'],
      );
    }));

  if (posix) {
    test('replacing a document keeps the permissions of its file', () =>
      onDisk(async ({ vfs }, root) => {
        const { version } = await vfs.writeAtomic('n.md', bytes, { ifAbsent: true });
        chmodSync(join(root, 'n.md'), 0o640);
        await vfs.writeAtomic('n.md', new Uint8Array([1]), { version });
        assert.equal(statSync(join(root, 'n.md')).mode & 0o777, 0o640);
      }));
  }

  test('nothing but documents appears in the vault’s own directories', () =>
    onDisk(async ({ vfs }, root) => {
      const first = await vfs.writeAtomic('d/n.md', bytes, { ifAbsent: true });
      const second = await vfs.writeAtomic('d/n.md', new Uint8Array([1]), { version: first.version });
      await assertRefused(() => vfs.writeAtomic('d/n.md', bytes, { ifAbsent: true }), 'version_conflict');
      assert.deepEqual(readdirSync(join(root, 'd')), ['n.md'], 'no temporary file may stay beside a document');
      await vfs.remove('d/n.md', { version: second.version });
      assert.deepEqual(await listAll(vfs), []);
    }));
};

/** Registers the tests of a VFS that keeps documents as files: links, foreign entries, hand edits (§6.1, §6.7). */
export const registerVfsDiskTests = (harness: ContractHarness<'vfs'>, disk: VfsDisk): void => {
  const onDisk: OnDisk = body => withStore(harness, store => body(store, disk.root(locationOf(store))));
  registerLinkTests(harness, onDisk);
  registerHandEditTests(harness, onDisk);
};
