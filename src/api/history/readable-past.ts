import type { Principal } from '#adapter-contracts';
import { parseDocument } from '#document';
import { isVaultError } from '#errors';
import { typeOf } from '../document-entry.ts';
import { mayRead, mayReadEverything } from '../read-rights.ts';
import { hidden, refuseUnsafePath } from '../read-visible.ts';
import type { Vault } from '../vault.ts';
import type { PastVersion } from './vault-history.ts';

/**
 * What `work` tells about the past of a document, for a principal who may read all of it (§6.6): the type that the log recorded and the one the content
 * declares both count. Refusals have the same words for what is hidden and for what never was.
 */
export const readablePast = async <T>(
  vault: Vault,
  principal: Principal,
  path: string,
  work: () => Promise<T>,
  versionsOf: (told: T) => readonly Pick<PastVersion, 'hash' | 'type' | 'content'>[],
): Promise<T> => {
  refuseUnsafePath('path', path);
  const unlimited = mayReadEverything(principal, vault.registry);
  let told: T;
  try {
    told = await work();
  } catch (error) {
    if (unlimited || !isVaultError(error) || error.code !== 'not_found') throw error;
    throw hidden(path);
  }
  const there = versionsOf(told).filter(({ hash }) => hash !== null);
  const readable = there.every(version => typesOf(vault, path, version).every(type => mayRead(principal, vault.registry, type)));
  if (unlimited || (there.length > 0 && readable)) return told;
  throw hidden(path);
};

const typesOf = (vault: Vault, path: string, { type, content }: Pick<PastVersion, 'type' | 'content'>): readonly (string | null)[] => {
  const declared = content === null ? [] : [typeOf(path, parseDocument(content), vault.registry)];
  return type === null ? (declared.length === 0 ? [null] : declared) : [...declared, type];
};
