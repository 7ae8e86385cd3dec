import assert from 'node:assert/strict';
import type { Vfs } from '#adapter-contracts';
import { hashContent } from '#document';
import { acrossReopen, type ContractHarness, isDurable, withStore, withTwoOpenings } from './contract-harness.ts';
import { assertRefused } from './refusal.ts';
import { registerVfsDiskTests, type VfsDisk } from './vfs-disk-contract.ts';
import { registerVfsPathTests } from './vfs-path-contract.ts';
import { registerVfsRaceTests } from './vfs-race-contract.ts';

/** What a VFS's harness may declare beyond the common capabilities. */
export interface VfsHarness extends ContractHarness<'vfs'> {
  /** For documents kept as files: adds the tests of links, foreign entries and hand edits. */
  readonly disk?: VfsDisk;
}

const path = 'memory/n.md';
const one = new TextEncoder().encode('one\n');
const two = new TextEncoder().encode('two\n');

const assertStored = async (vfs: Vfs, where: string, bytes: Uint8Array): Promise<void> => {
  const stored = await vfs.read(where);
  assert.ok(stored !== null, `'${where}' must be there`);
  assert.deepEqual(Buffer.from(stored.bytes), Buffer.from(bytes));
  assert.equal(stored.hash, hashContent(bytes));
};

const registerContentTests = (harness: VfsHarness): void => {
  const { test } = harness;
  test('what was written is read back with its hash and a version', () =>
    withStore(harness, async ({ vfs }) => {
      assert.equal(await vfs.read(path), null);
      const written = await vfs.writeAtomic(path, one, { ifAbsent: true });
      assert.equal(written.hash, hashContent(one));
      await assertStored(vfs, path, one);
      assert.equal((await vfs.read(path))?.version, written.version);
      assert.deepEqual(Buffer.from(written.bytes), Buffer.from(one));
    }));

  test('a document may hold any bytes', () =>
    withStore(harness, async ({ vfs }) => {
      const contents = {
        empty: [],
        nul: [0, 0, 10, 0],
        'invalid-utf8': [0xff, 0xfe, 0xc3, 0x28],
        bom: [0xef, 0xbb, 0xbf, 35],
        crlf: [97, 13, 10, 98],
      };
      for (const [name, bytes] of Object.entries(contents)) await vfs.writeAtomic(`${name}.md`, new Uint8Array(bytes), { ifAbsent: true });
      const large = new Uint8Array(3 * 1024 * 1024).map((_, index) => index % 251);
      await vfs.writeAtomic('large.md', large, { ifAbsent: true });
      for (const [name, bytes] of Object.entries(contents)) await assertStored(vfs, `${name}.md`, new Uint8Array(bytes));
      await assertStored(vfs, 'large.md', large);
    }));

  test('equal bytes have equal versions, other bytes another', () =>
    withStore(harness, async ({ vfs }) => {
      const first = await vfs.writeAtomic(path, one, { ifAbsent: true });
      const second = await vfs.writeAtomic(path, two, { version: first.version });
      assert.notEqual(second.version, first.version);
      const third = await vfs.writeAtomic(path, one, { version: second.version });
      assert.equal(third.version, first.version);
    }));

  test('the caller’s byte arrays stay the caller’s own', () =>
    withStore(harness, async ({ vfs }) => {
      const mine = one.slice();
      const written = await vfs.writeAtomic(path, mine, { ifAbsent: true });
      mine.fill(0);
      written.bytes.fill(0);
      (await vfs.read(path))?.bytes.fill(0);
      await assertStored(vfs, path, one);
    }));

  test('a removed document is gone and may be created again', () =>
    withStore(harness, async ({ vfs }) => {
      const { version } = await vfs.writeAtomic(path, one, { ifAbsent: true });
      await vfs.remove(path, { version });
      assert.equal(await vfs.read(path), null);
      await vfs.writeAtomic(path, two, { ifAbsent: true });
      await assertStored(vfs, path, two);
    }));
};

const registerSwapTests = (harness: VfsHarness): void => {
  const { test } = harness;
  test('creating what exists is refused and changes nothing', () =>
    withStore(harness, async ({ vfs }) => {
      await vfs.writeAtomic(path, one, { ifAbsent: true });
      await assertRefused(() => vfs.writeAtomic(path, two, { ifAbsent: true }), 'version_conflict');
      await assertRefused(() => vfs.writeAtomic(path, one, { ifAbsent: true }), 'version_conflict', 'equal bytes:');
      await assertStored(vfs, path, one);
    }));

  test('replacing or removing an outdated version is refused and changes nothing', () =>
    withStore(harness, async ({ vfs }) => {
      const { version } = await vfs.writeAtomic(path, one, { ifAbsent: true });
      await vfs.writeAtomic(path, two, { version });
      await assertRefused(() => vfs.writeAtomic(path, one, { version }), 'version_conflict');
      await assertRefused(() => vfs.remove(path, { version }), 'version_conflict');
      await assertRefused(() => vfs.writeAtomic(path, one, { version: 'no version at all' }), 'version_conflict');
      await assertStored(vfs, path, two);
    }));

  test('replacing or removing what is not there is refused and creates nothing', () =>
    withStore(harness, async ({ vfs }) => {
      const { version } = await vfs.writeAtomic(path, one, { ifAbsent: true });
      await assertRefused(() => vfs.writeAtomic('other.md', two, { version }), 'version_conflict');
      await assertRefused(() => vfs.remove('other.md', { version }), 'version_conflict');
      assert.equal(await vfs.read('other.md'), null);
      await vfs.remove(path, { version });
      await assertRefused(() => vfs.writeAtomic(path, two, { version }), 'version_conflict');
      await assertRefused(() => vfs.remove(path, { version }), 'version_conflict');
      assert.equal(await vfs.read(path), null);
    }));
};

const registerDurabilityTests = (harness: VfsHarness): void => {
  const { test } = harness;
  if (!isDurable(harness)) return;
  test('documents, versions and removals outlive the store', () =>
    acrossReopen(
      harness,
      async ({ vfs }) => {
        const gone = await vfs.writeAtomic('gone.md', one, { ifAbsent: true });
        await vfs.remove('gone.md', { version: gone.version });
        await vfs.writeAtomic('deep/er/still/n.md', two, { ifAbsent: true });
        return vfs.writeAtomic(path, one, { ifAbsent: true });
      },
      async ({ vfs }, written) => {
        await assertStored(vfs, path, one);
        await assertStored(vfs, 'deep/er/still/n.md', two);
        assert.equal(await vfs.read('gone.md'), null);
        assert.equal((await vfs.read(path))?.version, written.version);
        await vfs.writeAtomic(path, two, { version: written.version });
      },
    ));

  test('two openings of one store see each other’s writes and lose to them', () =>
    withTwoOpenings(harness, async ({ vfs: mine }, { vfs: theirs }) => {
      const first = await mine.writeAtomic(path, one, { ifAbsent: true });
      await assertStored(theirs, path, one);
      await assertRefused(() => theirs.writeAtomic(path, two, { ifAbsent: true }), 'version_conflict');
      await theirs.writeAtomic(path, two, { version: first.version });
      await assertRefused(() => mine.writeAtomic(path, one, { version: first.version }), 'version_conflict');
      await assertStored(mine, path, two);
    }));
};

/**
 * Registers the tests of the VFS contract (§6.7). `reopen` adds durability and two openings at once, `multiProcess` the races across processes,
 * `disk` links, foreign entries and hand edits. The co-located intent journal has its own suite, `intentJournalContract`.
 */
export const vfsContract = (harness: VfsHarness): void => {
  harness.describe(`vfs contract: ${harness.name}`, () => {
    registerContentTests(harness);
    registerSwapTests(harness);
    registerVfsPathTests(harness);
    registerDurabilityTests(harness);
    registerVfsRaceTests(harness);
    if (harness.disk !== undefined) registerVfsDiskTests(harness, harness.disk);
  });
};
