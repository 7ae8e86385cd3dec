import type { Vault } from '#api';
import { openMemoryVault, type VaultAdapters } from '#open-vault';
import type { Given } from '../../src/cli/conformance/scenario.ts';
import { storedFiles, storeFile } from '../../src/cli/conformance/stored-files.ts';

/** A vault in memory as a scenario wants it, before its documents are written, and the way behind its back. */
export interface GivenVault {
  readonly vault: Vault;
  readonly files: () => Promise<ReadonlyMap<string, Uint8Array>>;
  readonly outside: (path: string, text: string | null) => Promise<void>;
}

export const openGivenVault = async (given: Given): Promise<GivenVault> => {
  let stored: VaultAdapters | undefined;
  const vault = await openMemoryVault({
    workspaceId: given.workspace ?? 'ws-a',
    ...(given.registry === undefined ? {} : { extensions: given.registry }),
    ...(given.policy === undefined ? {} : { policy: given.policy }),
    wrapAdapters: adapters => (stored = adapters),
  });
  if (stored === undefined) throw new Error('the vault did not wrap its adapters');
  const real = stored;
  const outside = (path: string, text: string | null) => storeFile(real, path, text === null ? null : Buffer.from(text));
  for (const [path, content] of Object.entries(given.files ?? {})) await storeFile(real, path, Buffer.from(content));
  return { vault, files: () => storedFiles(real), outside };
};
