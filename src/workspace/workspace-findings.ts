import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { extensionFile, vaultFiles } from './vault-files.ts';

/** Something in the vault's configuration that is ignored and that a person should know about. */
export interface WorkspaceFinding {
  readonly path: string;
  readonly reason: string;
}

/** Lists what the configuration directory holds but this build does not use; tolerates anything on the disk. */
export const workspaceFindings = (root: string, listed: readonly string[]): readonly WorkspaceFinding[] => {
  const findings: WorkspaceFinding[] = [];
  if (lstatSync(join(root, vaultFiles.strayState), { throwIfNoEntry: false }) !== undefined) {
    findings.push({
      path: vaultFiles.strayState,
      reason: 'ignored: machine state lives outside the vault and never travels with it; delete it',
    });
  }
  const used = new Set(listed.map(extensionFile));
  for (const name of namesIn(join(root, vaultFiles.extensions))) {
    const path = `${vaultFiles.extensions}/${name}`;
    if (!used.has(path)) findings.push({ path, reason: `ignored: not listed under "extensions" in ${vaultFiles.workspace}` });
  }
  return findings;
};

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
};
