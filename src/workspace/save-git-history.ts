import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withFileLock, writeFileDurably } from '#identity';
import { readWorkspaceFile } from './load-workspace.ts';
import { vaultFiles } from './vault-files.ts';
import { printWorkspaceFile } from './workspace-file.ts';

/** Writes into `workspace.json` whether the documents are also committed to git; everything else in the file stays what it says. */
export const saveGitHistory = (root: string, on: boolean): Promise<void> => {
  const lock = join(root, vaultFiles.writeLock);
  mkdirSync(dirname(lock), { recursive: true });
  return withFileLock(lock, () => {
    const file = readWorkspaceFile(root);
    if ((file.git_history === true) !== on)
      writeFileDurably(join(root, vaultFiles.workspace), printWorkspaceFile({ ...file, git_history: on }), 0o644);
  });
};
