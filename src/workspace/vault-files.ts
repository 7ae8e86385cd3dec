import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Vault-relative places of the configuration. */
export const vaultFiles = {
  workspace: '.ssss/workspace.json',
  extensions: '.ssss/extensions',
  registryLock: '.ssss/registry.lock.json',
  /** The lock of a registry change in progress; accepted beside the other one, so that a crash leaves a vault that opens. */
  nextRegistryLock: '.ssss/registry.lock.next.json',
  policy: '.ssss/policy.json',
  events: '.ssss/events',
  /** Contents of past versions by their hash. */
  history: '.ssss/history',
  /** Shared by every process that shares the vault, whatever machine state it has. */
  writeLock: '.ssss-intents/workspace.lock',
  /** Never used: rights kept in a vault would travel with it, so whatever stands there is ignored and reported. */
  strayState: '.ssss/local',
} as const;

export const extensionFile = (id: string): string => `${vaultFiles.extensions}/${id}.json`;

/** Configuration is small; anything larger is a mistake, or an attack on memory. */
const maxBytes = 4 * 1024 * 1024;

/**
 * The text of a configuration file, or null when it is not there. Throws when it, or a directory on the way below `root`, is a symbolic link, or
 * when it is not a regular file of at most 4 MiB of UTF-8 (§5.6: registry files are regular files).
 */
export const readRegularFile = (root: string, file: string): string | null => {
  if (!isPlainPath(root, file)) return null;
  // O_NOFOLLOW repeats the check at the moment of opening; O_NONBLOCK keeps a pipe put there from hanging us.
  const fd = openSync(join(root, file), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error('is not a regular file');
    if (stat.size > maxBytes) throw new Error(`is larger than ${maxBytes} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(fd));
  } finally {
    closeSync(fd);
  }
};

/** False when some segment is missing; throws when some segment is a symbolic link. */
const isPlainPath = (root: string, file: string): boolean => {
  const segments = file.split('/');
  for (let depth = 1; depth <= segments.length; depth++) {
    const part = segments.slice(0, depth).join('/');
    const stat = lstatSync(join(root, part), { throwIfNoEntry: false });
    if (stat === undefined) return false;
    if (stat.isSymbolicLink())
      throw new Error(part === file ? 'is a symbolic link; put the file itself there' : `is reached through the symbolic link '${part}'`);
  }
  return true;
};
