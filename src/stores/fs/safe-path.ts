import { dirname, join } from 'node:path';
import type { FileStat, FileSystem } from '#adapter-contracts';
import { checkPath } from '#document';
import { VaultError } from '#errors';

/** A document path looked at component by component: nothing on the way is a link, and every parent that exists is a directory. */
export interface InspectedPath {
  /** Absolute. */
  readonly full: string;
  /** The directory that holds the document, absolute. */
  readonly directory: string;
  /** The document's file, or null when there is none. */
  readonly target: FileStat | null;
  /** Vault-relative directories that do not exist yet, outermost first. */
  readonly missing: readonly string[];
}

const refuse = (path: string, issue: string): VaultError<'invalid_request'> =>
  new VaultError('invalid_request', { issues: [{ field: 'path', issue }] }, `The path '${path}' is refused: ${issue}.`);

/** For a document that turned out to be a link. */
export const linkRefusal = (path: string): VaultError<'invalid_request'> =>
  refuse(path, 'it is a symbolic link, and links are never followed');

/** For a document whose directory turned out to be a link. */
export const parentLinkRefusal = (path: string): VaultError<'invalid_request'> =>
  refuse(path, 'a directory above it became a symbolic link, and links are never followed');

/** Throws when the vault was moved away or unmounted: then nothing in it is absent, and no list of it is empty. */
export const requireVault = (fs: FileSystem, root: string): void => {
  if (fs.stat(root) === null) throw new Error('The directory of the vault is gone.');
};

/** For a pipe, a socket or a device where a document would be. */
export const noFileRefusal = (path: string): VaultError<'invalid_request'> => refuse(path, 'it is not a regular file');

/** Throws `VaultError('invalid_request')` for a path that is unsafe whatever is on the disk. */
export const requireSafePath = (path: string): void => {
  const reason = checkPath(path);
  if (reason !== null) throw refuse(path, reason.replace(/\.$/, ''));
};

/**
 * Vault-relative directories above `path` that do not exist yet, outermost first. Throws `VaultError('invalid_request')` for an unsafe path, and for
 * a link or a file among the parents (§6.1, readings: paths).
 */
export const inspectParents = (fs: FileSystem, root: string, path: string): readonly string[] => {
  requireSafePath(path);
  const segments = path.split('/');
  const missing: string[] = [];
  for (let depth = 1; depth < segments.length; depth += 1) {
    const parent = segments.slice(0, depth).join('/');
    const found = missing.length > 0 ? null : fs.stat(join(root, parent));
    if (found === null) missing.push(parent);
    else if (found.kind === 'symlink') throw refuse(path, `'${parent}' is a symbolic link, and links are never followed`);
    else if (found.kind !== 'directory') throw refuse(path, `'${parent}' is a file, not a directory`);
  }
  return missing;
};

/** As `inspectParents`, and refuses anything but a regular file as target. */
export const inspectPath = (fs: FileSystem, root: string, path: string): InspectedPath => {
  const missing = inspectParents(fs, root, path);
  const full = join(root, path);
  const target = missing.length > 0 ? null : fs.stat(full);
  if (target?.kind === 'symlink') throw linkRefusal(path);
  if (target !== null && target.kind !== 'file')
    throw target.kind === 'directory' ? refuse(path, 'it is a directory') : noFileRefusal(path);
  return { full, directory: dirname(full), target, missing };
};
