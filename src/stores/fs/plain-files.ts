import type { Vfs } from '#adapter-contracts';
import { listFiles } from './list-files.ts';
import { nodeFileSystem } from './node-file-system.ts';
import { readDocument } from './stored-document.ts';

/**
 * The documents of the vault at `root` for reading only, as they stand in its plain files: no lock, no database, no native module. What reads like this
 * sees each file whole, as a rename leaves it, but not all files at one instant.
 */
export const readPlainFiles = (root: string): Pick<Vfs, 'list' | 'read'> => ({
  list: (prefix = '') => listFiles(nodeFileSystem, root, prefix),
  read: async path => readDocument(nodeFileSystem, root, path),
});
