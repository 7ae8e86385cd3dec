import type { Principal } from '#adapter-contracts';
import { checkPath } from '#document';
import { VaultError } from '#errors';
import { mayRead, mayReadEverything } from './read-rights.ts';
import type { Vault, VaultDocument } from './vault.ts';

/** Absent and hidden documents must not be told apart, so the refusal names only what was asked. */
export const hidden = (path: string): VaultError<'forbidden'> =>
  new VaultError('forbidden', {}, `Nothing at '${path}' that you may read. Reading a document needs the capability <qualified type>:read.`);

/** Throws `invalid_request` for a path that no caller may name; says nothing about what is there. */
export const refuseUnsafePath = (field: string, path: string): void => {
  const issue = checkPath(path);
  if (issue !== null) throw new VaultError('invalid_request', { issues: [{ field, issue }] }, `'${path}': ${issue}`);
};

/**
 * The document at `path`, for a principal who may read it. Throws `forbidden` in the same words for what is absent and for what is hidden;
 * `not_found` only to whoever may read the whole vault.
 */
export const readVisible = async (vault: Vault, principal: Principal, path: string): Promise<VaultDocument> => {
  refuseUnsafePath('path', path);
  const unlimited = mayReadEverything(principal, vault.registry);
  const document = await readOrHide(vault, path, unlimited);
  if (document === null) {
    if (!unlimited) throw hidden(path);
    throw new VaultError('not_found', { path }, `No document at '${path}'.`);
  }
  if (!mayRead(principal, vault.registry, document.type)) throw hidden(path);
  return document;
};

/** A directory, a link or bytes that cannot be read make the store fail; to whoever may not see everything that, too, says that something is there. */
const readOrHide = async (vault: Vault, path: string, unlimited: boolean): Promise<VaultDocument | null> => {
  try {
    return await vault.read(path);
  } catch (error) {
    throw unlimited ? error : hidden(path);
  }
};
