// Vaults on a real disk for the tests of this room; `removeRoots` takes them away again.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FsStore, FsStoreOptions } from './fs-store.ts';
import { openFsStore } from './open-fs-store.ts';

const roots: string[] = [];
/** For `afterAll`. */
export const removeRoots = (): void => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
};

export const freshRoot = (): string => {
  const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sheaf-fs-'));
  roots.push(root);
  return root;
};

export const openAt = (root: string, options: Partial<FsStoreOptions> = {}): Promise<FsStore> =>
  openFsStore({ root, workspaceId: 'ws-acme', lockTimeoutMs: 500, ...options });

export const logFile = (root: string, segment = 1): string => join(root, '.ssss', 'events', `0000000${segment}.jsonl`);

export const namesIn = (root: string, directory: string): readonly string[] =>
  existsSync(join(root, directory)) ? readdirSync(join(root, directory)).sort() : [];
