import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { hashContent } from '#document';
import { ensurePrivateDirectory, withFileLock, writeFileDurably } from '#identity';
import { readJson } from '#registry';
import type { LoadedExtensionFile } from './load-workspace.ts';

/**
 * Whether the person at this machine has accepted a vault's configuration (identity: a vault from elsewhere). Reading and writing
 * never wait for it; what follows from the vault's own files does: roles grant nothing, extensions' capability changes only add, and what
 * acts by itself (daemon, executors) does not start.
 */
export interface VaultTrust {
  /** Whether the vault was ever accepted here; asked anew each time, because `sheaf trust` may run while a server does. */
  readonly trusted: boolean;
  /** Extensions that were never accepted, or were changed since; asked anew, too. */
  readonly untrusted: readonly string[];
  /** Accepts the extensions as they were loaded. */
  accept(now: Date): Promise<void>;
  /**
   * Accepts a change of one extension's text that this machine made itself, from `before` (null = there was none) to `after`. What came from elsewhere
   * is not accepted by adding a type of one's own to it.
   */
  acceptOwnChange(id: string, change: { readonly before: string | null; readonly after: string }, now: Date): Promise<void>;
}

const shape = z.strictObject({ version: z.literal(1), trusted_at: z.string(), extensions: z.record(z.string(), z.string()) });
type TrustFile = z.infer<typeof shape>;

/** Reads `trust.json` of the machine state, which lies outside the vault and is keyed by its place: a copy must be trusted again. */
export const openVaultTrust = (options: { readonly stateDir: string; readonly extensions: readonly LoadedExtensionFile[] }): VaultTrust => {
  const { stateDir, extensions } = options;
  const file = join(stateDir, 'trust.json');
  const isAccepted = (trust: TrustFile | null, { id, hash }: { readonly id: string; readonly hash: string }): boolean =>
    trust !== null && Object.hasOwn(trust.extensions, id) && trust.extensions[id] === hash;
  let trusted = false;
  let untrusted = extensions;
  let seen: string | null | undefined;
  /** Consent counts as soon as it is given, also in a server that is running. What was accepted once stays so for whoever has opened the vault. */
  const lookAgain = (): void => {
    if (trusted && untrusted.length === 0) return;
    const stamp = stampOf(file);
    if (stamp === seen) return;
    seen = stamp;
    const trust = readTrust(file);
    trusted ||= trust !== null;
    untrusted = untrusted.filter(extension => !isAccepted(trust, extension));
  };
  const write = (change: (trust: TrustFile | null) => TrustFile | null): Promise<void> => {
    ensurePrivateDirectory(stateDir);
    return withFileLock(join(stateDir, 'trust.lock'), () => {
      const next = change(readTrust(file));
      if (next !== null) writeFileDurably(file, `${JSON.stringify(next, null, 2)}\n`);
    });
  };
  return {
    get trusted() {
      lookAgain();
      return trusted;
    },
    get untrusted() {
      lookAgain();
      return untrusted.map(({ id }) => id);
    },
    accept: now =>
      write(() => ({
        version: 1,
        trusted_at: now.toISOString(),
        extensions: Object.fromEntries(extensions.map(({ id, hash }) => [id, hash])),
      })),
    acceptOwnChange: (id, { before, after }, now) =>
      write(trust => {
        if (trust === null || (before !== null && !isAccepted(trust, { id, hash: hashContent(before) }))) return null;
        return { ...trust, trusted_at: now.toISOString(), extensions: { ...trust.extensions, [id]: hashContent(after) } };
      }),
  };
};

/** Every change puts a new file in its place. */
const stampOf = (file: string): string | null => {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino}:${found.size}:${found.mtimeNs}`;
};

/** A file that cannot be read accepts nothing. */
const readTrust = (file: string): TrustFile | null => {
  if (!existsSync(file)) return null;
  try {
    return shape.parse(readJson(readFileSync(file, 'utf8')).value);
  } catch {
    return null;
  }
};
