import { dirname, join } from 'node:path';
import type { FileSystem } from '#adapter-contracts';
import { makeInternalDirectory, syncUpwards, type VaultLayout } from './vault-layout.ts';

/** Writes a small file of the store's own whole, with content and name durable before it returns. */
export const writeDurably = (fs: FileSystem, layout: VaultLayout, path: string, temporary: string, bytes: Uint8Array): void => {
  const directory = dirname(path);
  makeInternalDirectory(fs, layout.root, directory);
  const fd = fs.open(temporary, 'create-exclusive');
  try {
    fs.write(fd, 0, bytes);
    fs.fsyncSync(fd);
  } finally {
    fs.close(fd);
  }
  fs.rename(temporary, path);
  syncUpwards(fs, layout.root, directory);
};

/** Removes a file, and makes sure that it stays removed. */
export const removeDurably = (fs: FileSystem, directory: string, name: string): void => {
  fs.unlink(join(directory, name));
  fs.syncDirectorySync(directory);
};
