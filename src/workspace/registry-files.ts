import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withFileLock, writeFileDurably } from '#identity';
import { composeRegistry, type Registry, registryLock } from '#registry';
import {
  checkRegistryLock,
  loadWorkspace,
  parseExtensionFile,
  readExtension,
  readExtensionText,
  readRegistryLocks,
  readWorkspaceFile,
} from './load-workspace.ts';
import { extensionFile, vaultFiles } from './vault-files.ts';
import { printWorkspaceFile } from './workspace-file.ts';

/** Reads and changes the registry files of a vault on disk; every change holds the vault's configuration lock. */
export interface WorkspaceRegistryFiles {
  /** Recomposes the files as they are now. Throws `RegistryError` when they do not compose or are not what the lock pins. */
  verify(): Promise<{ readonly digest: string; readonly locked: boolean }>;
  /** Pins what the files compose to now. */
  lock(): Promise<{ readonly digest: string; readonly file: string }>;
  /**
   * Replaces an extension's file by what `change` makes of it (null = there is none), lists it, and renews the lock if there is one. A
   * change that does not compose is refused with `RegistryError` and nothing is written. With `dryRun` nothing is written either way.
   */
  updateExtension(
    id: string,
    change: (current: string | null) => string,
    options?: { readonly dryRun?: boolean },
  ): Promise<{ readonly file: string; readonly changed: boolean; readonly digest: string }>;
}

/** The registry files below `root`. */
export const createWorkspaceRegistryFiles = (root: string): WorkspaceRegistryFiles => {
  const underLock = <T>(work: () => T): Promise<T> => {
    mkdirSync(dirname(join(root, vaultFiles.writeLock)), { recursive: true });
    return withFileLock(join(root, vaultFiles.writeLock), work);
  };
  return {
    async verify() {
      const { registry } = loadWorkspace(root);
      return { digest: registry.digest, locked: readRegistryLocks(root)[0] !== null };
    },
    lock: () =>
      underLock(() => {
        const { registry } = loadWorkspace(root, { acceptRegistryDrift: true });
        write(root, vaultFiles.registryLock, registryLock(registry));
        rmSync(join(root, vaultFiles.nextRegistryLock), { force: true });
        return { digest: registry.digest, file: vaultFiles.registryLock };
      }),
    updateExtension: (id, change, options = {}) => underLock(() => updateExtension(root, id, change, options.dryRun === true)),
  };
};

const updateExtension = (root: string, id: string, change: (current: string | null) => string, dryRun: boolean) => {
  const file = readWorkspaceFile(root);
  const before = composeRegistry({ extensions: file.extensions.map(other => readExtension(root, other)) });
  // Renewing the lock over files that differ from it would accept somebody else's change unseen.
  checkRegistryLock(root, before);
  const current = readExtensionText(root, id);
  const text = change(current);
  const ids = file.extensions.includes(id) ? file.extensions : [...file.extensions, id];
  const registry = composeRegistry({
    extensions: ids.map(other => (other === id ? parseExtensionFile(text, id) : readExtension(root, other))),
  });
  const changed = text !== current || ids !== file.extensions;
  if (changed && !dryRun) {
    underNextLock(root, registry, () => {
      write(root, extensionFile(id), text);
      if (ids !== file.extensions) write(root, vaultFiles.workspace, printWorkspaceFile({ ...file, extensions: ids }));
    });
  }
  return { file: extensionFile(id), changed, digest: registry.digest };
};

/** Where the registry is pinned, both the old and the new one are accepted until every file is in place. */
const underNextLock = (root: string, registry: Registry, writeFiles: () => void): void => {
  const pinned = readRegistryLocks(root)[0] !== null;
  if (pinned) write(root, vaultFiles.nextRegistryLock, registryLock(registry));
  writeFiles();
  if (pinned) renameSync(join(root, vaultFiles.nextRegistryLock), join(root, vaultFiles.registryLock));
};

/** Configuration travels with the vault: readable like any of its files. */
const write = (root: string, file: string, text: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileDurably(join(root, file), text, 0o644);
};
