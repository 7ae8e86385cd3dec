import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hashContent } from '#document';
import { createFsContentStore } from './fs-content-store.ts';
import { createMemoryContentStore } from './memory-content-store.ts';

const content = (text: string) => ({ hash: hashContent(text), bytes: new TextEncoder().encode(text) });

const makeRoot = (): string => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-history-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, '.ssss'));
  return root;
};
const fileOf = (root: string, hash: string): string => join(root, '.ssss/history', hash.slice(7, 9), hash.slice(9));
const textOf = (bytes: Uint8Array | null): string | null => (bytes === null ? null : new TextDecoder().decode(bytes));

test('a content is found at once, and after the flush it is a plain file named by its hash', async () => {
  const root = makeRoot();
  const store = createFsContentStore(root);
  const kept = content('one\n');
  await store.keep([kept]);
  expect(textOf(await store.find(kept.hash))).toBe('one\n');
  await store.flush();
  expect(readFileSync(fileOf(root, kept.hash), 'utf8')).toBe('one\n');
  expect(textOf(await createFsContentStore(root).find(kept.hash))).toBe('one\n');
  expect(await store.find(content('two').hash)).toBeNull();
  expect(store.problems()).toEqual([]);
});

test('a damaged content is missing, and is whole again when it is kept once more', async () => {
  const root = makeRoot();
  const store = createFsContentStore(root);
  const kept = content('one\n');
  await store.keep([kept]);
  await store.flush();
  writeFileSync(fileOf(root, kept.hash), 'on');
  expect(await store.find(kept.hash)).toBeNull();
  await store.keep([kept]);
  await store.flush();
  expect(textOf(await store.find(kept.hash))).toBe('one\n');
});

test('a content that another process removed is written again', async () => {
  const root = makeRoot();
  const store = createFsContentStore(root);
  const kept = content('one\n');
  await store.keep([kept]);
  await store.flush();
  await createFsContentStore(root).remove(kept.hash);
  await store.keep([kept]);
  await store.flush();
  expect(readFileSync(fileOf(root, kept.hash), 'utf8')).toBe('one\n');
});

test.each(['.ssss/history', '.ssss/history/shard'])('a link at %s is never followed, for writing or for reading', async place => {
  const root = makeRoot();
  const elsewhere = makeRoot();
  const kept = content('one\n');
  const shard = kept.hash.slice(7, 9);
  mkdirSync(join(elsewhere, shard));
  writeFileSync(join(elsewhere, shard, kept.hash.slice(9)), 'one\n');
  if (place === '.ssss/history') symlinkSync(elsewhere, join(root, place));
  else {
    mkdirSync(join(root, '.ssss/history'));
    symlinkSync(join(elsewhere, shard), join(root, '.ssss/history', shard));
  }
  const store = createFsContentStore(root);
  expect(await store.find(kept.hash)).toBeNull();
  expect(store.problems().join()).toContain('cannot be read');
  const other = content('a content that would land in the same shard? no matter which');
  await store.keep([kept, other]);
  await store.flush();
  expect(store.problems().join()).toContain('could not be kept');
  expect(readdirSync(join(elsewhere, shard))).toEqual([kept.hash.slice(9)]);
});

test('a link in the place of a content is not read', async () => {
  const root = makeRoot();
  const kept = content('secret\n');
  writeFileSync(join(root, 'outside'), 'secret\n');
  mkdirSync(join(root, '.ssss/history', kept.hash.slice(7, 9)), { recursive: true });
  symlinkSync(join(root, 'outside'), fileOf(root, kept.hash));
  expect(await createFsContentStore(root).find(kept.hash)).toBeNull();
});

test('everything that is kept is listed, and only old leftovers of writers are swept', async () => {
  const root = makeRoot();
  const store = createFsContentStore(root);
  const contents = Array.from({ length: 40 }, (_, index) => content(`text ${index}\n`));
  await store.keep(contents);
  const listed = [];
  for await (const { hash } of store.list()) listed.push(hash);
  expect(listed.sort()).toEqual(contents.map(({ hash }) => hash).sort());
  const shard = join(root, '.ssss/history', contents[0]!.hash.slice(7, 9));
  for (const name of ['tmp-1-1-old', 'tmp-1-2-new']) writeFileSync(join(shard, name), 'half');
  utimesSync(join(shard, 'tmp-1-1-old'), 1, 1);
  await store.sweep();
  expect(readdirSync(shard).filter(name => name.startsWith('tmp-'))).toEqual(['tmp-1-2-new']);
});

test('two stores may keep the same contents at once', async () => {
  const root = makeRoot();
  const stores = [createFsContentStore(root), createFsContentStore(root)];
  const contents = Array.from({ length: 200 }, (_, index) => content(`text ${index % 50}\n`));
  await Promise.all(stores.map(store => store.keep(contents)));
  await Promise.all(stores.map(store => store.flush()));
  expect(stores.flatMap(store => store.problems())).toEqual([]);
  for (const { hash } of contents) expect(await createFsContentStore(root).find(hash)).not.toBeNull();
});

test('a vault in memory keeps what fits, and lets go first of what was kept first', async () => {
  const store = createMemoryContentStore(10);
  const [one, two, three] = [content('aaaa'), content('bbbb'), content('cccc')];
  await store.keep([one, two]);
  await store.keep([one]);
  await store.keep([three]);
  expect(await store.find(two.hash)).toBeNull();
  expect(textOf(await store.find(one.hash))).toBe('aaaa');
  expect(textOf(await store.find(three.hash))).toBe('cccc');
});
