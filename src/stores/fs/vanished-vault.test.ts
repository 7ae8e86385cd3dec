import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { committing } from './commit-fixture.ts';
import { openFsStore } from './open-fs-store.ts';

test('in a vault that was moved away nothing is absent and no list is empty, and all is well when it is back', async () => {
  const base = mkdtempSync(join(tmpdir(), 'sheaf-vanished-'));
  const root = join(base, 'vault');
  mkdirSync(root);
  const store = await openFsStore({ root, workspaceId: 'ws-acme' });
  const names = async (prefix: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { path } of store.vfs.list(prefix)) found.push(path);
    return found;
  };
  try {
    await committing(sampleEvent)(store, 'notes/a.md', 'a');
    renameSync(root, join(base, 'elsewhere'));
    await expect(store.vfs.read('notes/a.md')).rejects.toThrow('The directory of the vault is gone');
    await expect(names('notes')).rejects.toThrow('The directory of the vault is gone');
    await expect(names('')).rejects.toThrow('The directory of the vault is gone');
    renameSync(join(base, 'elsewhere'), root);
    expect(await store.vfs.read('notes/b.md')).toBeNull();
    expect(await names('notes')).toEqual(['notes/a.md']);
  } finally {
    await store.close();
    rmSync(base, { recursive: true, force: true });
  }
});
