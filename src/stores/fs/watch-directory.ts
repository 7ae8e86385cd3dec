import { watch } from 'node:fs';

/**
 * Calls `changed` when something in the directory may have changed. Only a hint: network file systems tell nothing, watches run out, and a directory
 * that is not there yet has none (null); so whoever asks must look by themselves, too.
 */
export const watchDirectory = (directory: string, changed: () => void): (() => void) | null => {
  try {
    const watcher = watch(directory, { persistent: false }, () => changed());
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return null;
  }
};
