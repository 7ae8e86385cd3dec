import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { isFileError, type VaultLayout, vaultRelative } from './vault-layout.ts';

/** Whether this user may write in a directory, or make it where it is missing. */
export const mayWriteIn = (directory: string): boolean => {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch (error) {
    return isFileError(error, 'ENOENT') && directory !== dirname(directory) && mayWriteIn(dirname(directory));
  }
};

/**
 * Why the store's own directories cannot be written, or null. Found out before anything is tried: a commit that fails at its last step has had
 * everybody wait, and the databases say only that they cannot be opened.
 */
export const missingAccess = (mayWrite: (directory: string) => boolean, layout: VaultLayout): string | null => {
  const refused = [layout.events, layout.coordination, layout.derived].find(directory => !mayWrite(directory));
  return refused === undefined ? null : `this user may not write in '${vaultRelative(layout.root, refused)}'`;
};

/** What to do about a vault that opened for reading only. */
export const remedyFor = (reason: string): string => {
  if (/\b(EACCES|EPERM|EROFS|may not write)\b/.test(reason)) return 'Give this user the right to write there, or work on a copy.';
  if (/\b(ENOSPC|EDQUOT)\b/.test(reason)) return 'Make room, and open it again.';
  return 'Put it on a local disk to write.';
};
