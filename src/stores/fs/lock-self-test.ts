import { join } from 'node:path';
import type { FsPlatform } from './fs-platform.ts';
import { makeInternalDirectory, type VaultLayout } from './vault-layout.ts';

const tries = 8;

/**
 * Why this directory cannot be written safely, or null. A second descriptor must be refused a lock that the first holds; some network and synced
 * folders grant it, and then two writers would destroy each other's work (readings: liveness).
 */
export const lockSelfTest = (platform: FsPlatform, layout: VaultLayout): string | null => {
  const { fs } = platform;
  const descriptors: number[] = [];
  try {
    makeInternalDirectory(fs, layout.root, layout.locks);
    const path = join(layout.locks, 'self-test.lock');
    descriptors.push(fs.open(path, 'read-write-create'), fs.open(path, 'read-write-create'));
    const [first, second] = descriptors as [number, number];
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const verdict = testOnce(platform, first, second);
      if (verdict !== 'taken') return verdict;
    }
    return 'the folder refuses file locks';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    for (const fd of descriptors) fs.close(fd);
  }
};

/** 'taken' = another process is testing on the same byte just now. */
const testOnce = ({ locks }: FsPlatform, first: number, second: number): string | null => {
  const offset = Math.floor(Math.random() * 2 ** 30);
  if (!locks.tryLock(first, offset)) return 'taken';
  const shared = locks.tryLock(second, offset);
  if (shared) locks.unlock(second, offset);
  locks.unlock(first, offset);
  return shared ? 'the folder grants the same file lock twice, as some network and synced folders do' : null;
};
