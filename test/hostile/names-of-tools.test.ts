import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { code, del, op, patch, rule, type Vault, withDiskVault } from './hostile-vault.ts';

const names = [
  '.#a.md',
  '~$a.md',
  'x/.#deep.md',
  'a (conflicted copy 2026-01-01).md',
  'a.sync-conflict-20260101-120000-ABCDEFG.md',
  '.md',
  '.hidden.md',
  '#a#.md',
  'a.md.md',
  '-rf.md',
  '--help.md',
  '$(id).md',
  '`id`.md',
  '%00.md',
  '~.md',
  "'; drop table events; --.md",
];

const listed = async (vault: Vault): Promise<readonly string[]> => {
  const paths: string[] = [];
  for await (const entry of vault.list()) if (entry.kind === 'document') paths.push(entry.path);
  return paths.sort();
};

test('a document that came through the contract is one under every name, also one that an editor or a sync tool would choose', async () => {
  await withDiskVault(async (vault, root) => {
    for (const path of names) expect([path, await code(vault, op(path, rule('x\n')))]).toEqual([path, 'ok']);
    expect(await listed(vault)).toEqual([...names].sort());
    for (const path of names) writeFileSync(join(root, path), rule('edited\n'));
    const status = JSON.stringify(await vault.status());
    for (const path of names) expect(status).toContain(JSON.stringify(path));
    for (const path of names) expect(await code(vault, patch(path, { x_a: 1 }))).toBe('ok');
    for (const path of names) expect(await code(vault, del(path))).toBe('ok');
    expect(await listed(vault)).toEqual([]);
  });
});

test('the same files, written past Sheaf, are no documents where their names say so', async () => {
  await withDiskVault(async (vault, root) => {
    for (const name of ['.#a.md', '~$a.md', 'a.sync-conflict-20260101-120000-ABCDEFG.md']) writeFileSync(join(root, name), rule('x\n'));
    expect(await listed(vault)).toEqual([]);
  });
});
