import { lstatSync, realpathSync } from 'node:fs';
import { hashContent } from '#document';
import { reasonOf } from '#errors';
import { defaultPolicy, type Policy, parsePolicy } from '#policy';
import { composeRegistry, type ExtensionRegistry, isRegistryError, parseExtension, type Registry, verifyRegistryLock } from '#registry';
import { extensionFile, readRegularFile, vaultFiles } from './vault-files.ts';
import { WorkspaceError, type WorkspaceErrorCode } from './workspace-error.ts';
import { parseWorkspaceFile, type WorkspaceFile } from './workspace-file.ts';

/** A vault's configuration, read and checked. */
export interface Workspace {
  /** The real path of the vault. */
  readonly root: string;
  readonly file: WorkspaceFile;
  readonly registry: Registry;
  /** The loaded extensions in their order, each with the hash of its file's text. */
  readonly extensions: readonly LoadedExtensionFile[];
  readonly policy: Policy;
}

export interface LoadedExtensionFile {
  readonly id: string;
  readonly hash: string;
  readonly extension: ExtensionRegistry;
}

/**
 * Reads `.ssss/workspace.json`, the extensions it lists, the lock and the policy. Throws `WorkspaceError` or `RegistryError` naming the file and
 * the place. A registry that differs from its lock is refused (§5.6) unless `acceptRegistryDrift`, which only commands that mend it set.
 */
export const loadWorkspace = (root: string, options: { readonly acceptRegistryDrift?: boolean } = {}): Workspace => {
  const real = realRoot(root);
  const file = readWorkspaceFile(real);
  const extensions = file.extensions.map(id => loadExtension(real, id));
  const registry = composeRegistry({ extensions: extensions.map(({ extension }) => extension) });
  if (options.acceptRegistryDrift !== true) checkRegistryLock(real, registry);
  return { root: real, file, registry, extensions, policy: readPolicy(real, registry) };
};

export const realRoot = (root: string): string => {
  if (lstatSync(root, { throwIfNoEntry: false }) === undefined) throw new WorkspaceError('no_vault', root, 'there is no such directory');
  return realpathSync(root);
};

export const readWorkspaceFile = (root: string): WorkspaceFile => {
  const text = readConfigured('workspace_file_invalid', root, vaultFiles.workspace);
  if (text !== null) return parseWorkspaceFile(text);
  throw new WorkspaceError('no_vault', root, `holds no ${vaultFiles.workspace}: make a vault with \`sheaf init\`, or restore the file`);
};

/** Reads one listed extension; the id inside must be the id it was listed under. */
export const readExtension = (root: string, id: string): ExtensionRegistry => loadExtension(root, id).extension;

const loadExtension = (root: string, id: string): LoadedExtensionFile => {
  const text = readExtensionText(root, id);
  if (text !== null) return { id, hash: hashContent(text), extension: parseExtensionFile(text, id) };
  const how = `is listed in ${vaultFiles.workspace} but missing: restore it, or take '${id}' off the list`;
  throw new WorkspaceError('extension_file_invalid', extensionFile(id), how);
};

export const readExtensionText = (root: string, id: string): string | null =>
  readConfigured('extension_file_invalid', root, extensionFile(id));

export const parseExtensionFile = (text: string, id: string): ExtensionRegistry => {
  const file = extensionFile(id);
  const extension = parseExtension(text, file);
  if (extension.id === id) return extension;
  throw new WorkspaceError('extension_file_invalid', file, `"registry" is '${extension.id}', but the file is named for '${id}'`);
};

/** Throws `RegistryError('registry_drift')` unless the composed registry is the pinned one, or the one a change in progress will pin. */
export const checkRegistryLock = (root: string, registry: Registry): void => {
  const [lock, next] = readRegistryLocks(root);
  if (lock === null) return;
  try {
    verifyRegistryLock(registry, lock, vaultFiles.registryLock);
  } catch (error) {
    if (next === null || !isRegistryError(error) || error.code !== 'registry_drift') throw error;
    verifyRegistryLock(registry, next, vaultFiles.nextRegistryLock);
  }
};

/** The texts of the lock, and of the one a change in progress will put in its place. */
export const readRegistryLocks = (root: string): readonly [lock: string | null, next: string | null] => [
  readConfigured('registry_lock_unreadable', root, vaultFiles.registryLock),
  readConfigured('registry_lock_unreadable', root, vaultFiles.nextRegistryLock),
];

const readPolicy = (root: string, registry: Registry): Policy => {
  const text = readConfigured('policy_file_invalid', root, vaultFiles.policy);
  return text === null
    ? defaultPolicy
    : naming('policy_file_invalid', vaultFiles.policy, () => parsePolicy(text, vaultFiles.policy, registry));
};

const readConfigured = (code: WorkspaceErrorCode, root: string, file: string): string | null =>
  naming(code, file, () => readRegularFile(root, file));

/** Gives an error the file it is about, once. */
const naming = <T>(code: WorkspaceErrorCode, file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    const reason = reasonOf(error);
    const bare = reason.startsWith(file) ? reason.slice(file.length).replace(/^:? /, '') : reason;
    throw new WorkspaceError(code, file, bare, { cause: error });
  }
};
