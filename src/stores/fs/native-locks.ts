import native from 'fs-native-extensions';
import type { FileLocks } from '#adapter-contracts';

/** Open-file-description locks: freed the moment their owner dies, whatever a pid or a clock says (readings: liveness). */
export const nativeLocks: FileLocks = {
  tryLock: (fd, offset) => native.tryLock(fd, offset, 1),
  unlock: (fd, offset) => native.unlock(fd, offset, 1),
};
