import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { WorkspaceError } from './workspace-error.ts';

/** The nearest directory at or above `from` that holds `.ssss/`. Throws `WorkspaceError('no_vault')`. */
export const findVault = (from: string): string => {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    if (lstatSync(join(directory, '.ssss'), { throwIfNoEntry: false })?.isDirectory() === true) return directory;
    if (dirname(directory) === directory) break;
  }
  throw new WorkspaceError(
    'no_vault',
    resolve(from),
    'neither this directory nor one above it holds .ssss/: make a vault with `sheaf init`',
  );
};
