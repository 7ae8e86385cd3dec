import { createRequire } from 'node:module';
import type { FileLocks } from '#adapter-contracts';

interface NativeLocks {
  tryLock(fd: number, offset: number, length: number): boolean;
  unlock(fd: number, offset: number, length: number): void;
}

let native: NativeLocks | null = null;

/** Loaded on first use: what reads plain files only works where the native module is missing. */
const library = (): NativeLocks => {
  native ??= createRequire(import.meta.url)('fs-native-extensions') as NativeLocks;
  return native;
};

/** Open-file-description locks: freed the moment their owner dies, whatever a pid or a clock says (readings: liveness). */
export const nativeLocks: FileLocks = {
  tryLock: (fd, offset) => library().tryLock(fd, offset, 1),
  unlock: (fd, offset) => library().unlock(fd, offset, 1),
};
