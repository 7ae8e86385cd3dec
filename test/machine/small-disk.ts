import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of a few MiB that a test may fill. */
export interface SmallDisk {
  readonly directory: string;
  readonly freeBytes: () => number;
  /** Leaves about this many bytes free. */
  fillUpTo(free: number): void;
  /** Gives back what `fillUpTo` took. */
  clear(): void;
  remove(): void;
}

/** Mounts one, or says why this machine does not let us. */
export const mountSmallDisk = (mebibytes: number): SmallDisk | string => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', directory], { stdio: 'pipe' });
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    return `no file system can be mounted here: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`;
  }
  const filler = join(directory, 'filler');
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  };
  writeFileSync(filler, '');
  return {
    directory,
    freeBytes,
    fillUpTo(free) {
      truncateSync(filler, 0);
      writeFileSync(filler, Buffer.alloc(Math.max(0, freeBytes() - free)));
    },
    clear: () => truncateSync(filler, 0),
    remove() {
      execFileSync('umount', ['--lazy', directory]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
