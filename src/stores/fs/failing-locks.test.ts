import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { committing } from './commit-fixture.ts';
import { nodePlatform } from './fs-platform.ts';
import { openFsStore } from './open-fs-store.ts';

const commit = committing(sampleEvent);

test('a lock that the system cannot give ends its commit with the reason, and the next one is tried anew', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-locks-'));
  let failing = false;
  const locks = {
    ...nodePlatform.locks,
    tryLock(fd: number, offset: number) {
      if (failing) throw Object.assign(new Error('ENOLCK: no locks available'), { code: 'ENOLCK' });
      return nodePlatform.locks.tryLock(fd, offset);
    },
  };
  const store = await openFsStore({ root, workspaceId: 'ws-acme', platform: { ...nodePlatform, locks } });
  try {
    await commit(store, 'a.md', 'one');
    failing = true;
    await expect(commit(store, 'a.md', 'two')).rejects.toThrow('ENOLCK');
    failing = false;
    await commit(store, 'a.md', 'three');
  } finally {
    await store.close();
    rmSync(root, { recursive: true, force: true });
  }
});

test('a vault at a path that its databases cannot bear says so when it is opened', async () => {
  const base = mkdtempSync(join(tmpdir(), 'sheaf-long-'));
  try {
    const root = join(base, 'x'.repeat(200), 'y'.repeat(200));
    mkdirSync(root, { recursive: true });
    await expect(openFsStore({ root, workspaceId: 'ws-acme' })).rejects.toThrow(/path of the vault is \d+ bytes long.*Move it/);
    const shorter = join(base, 'x'.repeat(200), 'z'.repeat(390 - base.length - 202));
    mkdirSync(shorter, { recursive: true });
    const store = await openFsStore({ root: shorter, workspaceId: 'ws-acme' });
    await commit(store, 'a.md', 'one');
    await store.close();
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
