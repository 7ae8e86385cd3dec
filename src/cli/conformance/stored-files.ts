import type { VaultAdapters } from '#open-vault';

/** Every stored file, read behind the contract's back. */
export const storedFiles = async ({ vfs }: VaultAdapters): Promise<ReadonlyMap<string, Uint8Array>> => {
  const files = new Map<string, Uint8Array>();
  for await (const { path } of vfs.list()) {
    const stored = await vfs.read(path);
    if (stored !== null) files.set(path, stored.bytes);
  }
  return files;
};

/** Puts a file into the store behind the contract's back; null removes it. */
export const storeFile = async ({ vfs }: VaultAdapters, path: string, bytes: Uint8Array | null): Promise<void> => {
  const stored = await vfs.read(path);
  if (bytes !== null) await vfs.writeAtomic(path, bytes, stored === null ? { ifAbsent: true } : { version: stored.version });
  else if (stored !== null) await vfs.remove(path, { version: stored.version });
};
