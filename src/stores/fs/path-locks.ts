import { hash } from 'node:crypto';
import { join } from 'node:path';
import { foldPath } from '#document';
import { VaultError } from '#errors';
import { retryUntil } from './backoff.ts';
import type { FsPlatform } from './fs-platform.ts';
import { lockFile } from './lock-file.ts';
import { makeInternalDirectory, type VaultLayout } from './vault-layout.ts';

const slots = 65_536;

/**
 * The lock slot of a path: case twins share one, so that they exclude each other. Two unrelated paths may share one too, which only makes them
 * take turns.
 */
export const pathSlot = (path: string): number => hash('sha256', foldPath(path), 'buffer').readUInt16LE(0) % slots;

/** Commit locks (§6.3): one byte of one file per slot. */
export interface PathLocks {
  tryLock(slot: number): boolean;
  unlock(slot: number): void;
  /** Waits for the slot of `path`, or throws `VaultError('version_conflict')`; returns the slot. */
  lock(path: string, timeoutMs: number): Promise<number>;
  close(): void;
}

export const openPathLocks = (platform: FsPlatform, layout: VaultLayout): PathLocks => {
  makeInternalDirectory(platform.fs, layout.root, layout.locks);
  const file = lockFile(platform, platform.fs.open(join(layout.locks, 'paths.lock'), 'read-write-create'));
  return {
    ...file,
    async lock(path, timeoutMs) {
      const slot = pathSlot(path);
      if ((await retryUntil(() => file.tryLock(slot) || null, timeoutMs)) === null) throw lockTimeout(path, timeoutMs);
      return slot;
    },
  };
};

/** The refusal for a commit lock that stayed taken. */
export const lockTimeout = (path: string, timeoutMs: number): VaultError<'version_conflict'> =>
  new VaultError(
    'version_conflict',
    { path },
    `Another writer has been committing on '${path}' for ${timeoutMs / 1000} s. Read the document again and retry.`,
  );
