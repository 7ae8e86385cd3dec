import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { code, del, evt, memoryVault, op, patch, rule, type Vault, withDiskVault } from './hostile-vault.ts';

/** On the disk and in memory alike. */
const everywhere = async (work: (vault: Vault) => Promise<void>): Promise<void> => {
  await work(await memoryVault());
  await withDiskVault(work);
};

const devices = ['con', 'prn', 'aux', 'nul', 'com1', 'com9', 'lpt1', 'lpt9', 'com¹', 'lpt³'];
const deviceNames = devices.flatMap(name => [
  `${name}.md`,
  `${name.toUpperCase()}.md`,
  `${name}.tar.md`,
  `${name} .md`,
  `${name}/a.md`,
  `a/${name}/b.md`,
  `${name}.x/a.md`,
]);
const unstorable = [
  'ab:c.md',
  'ab:$DATA.md',
  'a<b.md',
  'a>b.md',
  'a"b.md',
  'a|b.md',
  'a?.md',
  '*.md',
  'a./b.md',
  'a /b.md',
  '.../b.md',
  'a. ./b.md',
];

test('a document is never created under a name that Windows reserves or cannot store, on any system', async () => {
  await everywhere(async vault => {
    for (const path of [...deviceNames, ...unstorable]) {
      expect([path, await code(vault, op(path, rule('x\n')))]).toEqual([path, 'invalid_request']);
      expect([path, await code(vault, op(path, rule('x\n'), { dry_run: true }))]).toEqual([path, 'invalid_request']);
      expect([path, await code(vault, patch(path, { x_a: 1 }))]).toEqual([path, 'not_found']);
      expect([path, await code(vault, evt(path, '1'))]).toEqual([path, 'ok']);
    }
  });
});

test.skipIf(process.platform === 'win32')('a document that already has such a name is read, patched, replaced and deleted', async () => {
  await withDiskVault(async (vault, root) => {
    for (const path of ['aux.md', 'ab:c.md', 'con/a.md', 'a?.md']) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), rule('x\n'));
      expect((await vault.read(path))?.text).toBe(rule('x\n'));
      for (const request of [patch(path, { x_a: 1 }), op(path, rule('y\n')), del(path)]) expect(await code(vault, request)).toBe('ok');
    }
  });
});

test('reserved folders are reserved in every spelling that some disk would take for them', async () => {
  const spellings = [
    '.git',
    '.GIT',
    '.g\u200bit',
    '.git.',
    '.git ',
    '.git::$INDEX_ALLOCATION',
    'git~1',
    '.ssss',
    '.SSSS',
    '.ſſſſ',
    '.ssss-x',
    '.ss\u2060ss',
    'ssss~1',
  ];
  await everywhere(async vault => {
    for (const name of spellings)
      for (const path of [`${name}/a.md`, `a/${name}/b.md`, `${name}/hooks/post-commit`])
        for (const request of [op(path, rule('x\n')), patch(path, { x_a: 1 }), del(path), evt(path, '1')])
          expect([path, await code(vault, request)]).toEqual([path, 'invalid_request']);
  });
});

const segment = (bytes: number, unit = 'a'): string => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
const ofBytes = (bytes: number): string => `${'d/'.repeat((bytes - 4) / 2)}${segment(bytes % 2 === 0 ? 1 : 2)}.md`;

const lengths: readonly (readonly [what: string, path: string, code: string])[] = [
  ['a name of 255 bytes', `${segment(252)}.md`, 'ok'],
  ['a name of 256 bytes', `${segment(253)}.md`, 'invalid_request'],
  ['a folder of 255 bytes', `${segment(255)}/a.md`, 'ok'],
  ['a folder of 256 bytes', `${segment(256)}/a.md`, 'invalid_request'],
  ['a name of 252 bytes in 84 signs', `${segment(249, '顧')}.md`, 'ok'],
  ['a name of 100 signs and 303 bytes', `${segment(300, '顧')}.md`, 'invalid_request'],
  ['a name of 63 emoji', `${segment(252, '😀')}.md`, 'ok'],
  ['a path of 1,024 bytes, 510 folders deep', ofBytes(1024), 'ok'],
  ['a path of 1,026 bytes', ofBytes(1026), 'invalid_request'],
  [
    'four folders of 255 bytes',
    `${['a', 'b', 'c', 'd'].map(letter => segment(255, letter)).join('/')}.md`.slice(0, 1020).concat('.md'),
    'ok',
  ],
  ['a path of 5,000 bytes', `${'d/'.repeat(2498)}a.md`, 'invalid_request'],
  ['a path of 100,000 bytes in one name', `${segment(100_000)}.md`, 'invalid_request'],
];

test.each(lengths)('%s gets its answer from its length, and never from the disk', async (_, path, expected) => {
  await everywhere(async vault => {
    expect(await code(vault, op(path, rule('x\n')))).toBe(expected);
    expect(await code(vault, evt(path, '1'))).toBe(expected);
    if (expected === 'ok') {
      expect((await vault.read(path))?.text).toBe(rule('x\n'));
      expect(await code(vault, patch(path, { x_a: 1 }))).toBe('ok');
      expect(await code(vault, del(path))).toBe('ok');
      expect(await vault.read(path)).toBeNull();
    } else await expect(vault.read(path)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
