import { dirname, join } from 'node:path';
import type { FileSystem } from '#adapter-contracts';

/** A directory above a document as it was found: another one of the same path, made later, is told apart. */
export interface FoundDirectory {
  /** Vault-relative. */
  readonly directory: string;
  readonly identity: string;
  /** Absolute; its sync makes the directory's name durable. */
  readonly parent: string;
}

/**
 * Which directories this process knows to have durable names. That one exists says nothing: whoever made it may have died before the sync, or may not
 * have come to it yet, and a power cut would take it away with every document inside.
 */
export interface DurableNames {
  /** The directories above a path whose names are not known to be durable. */
  unknownAbove(path: string): readonly FoundDirectory[];
  /** Call when their parents are synced. */
  remember(found: readonly FoundDirectory[]): void;
}

// Forgetting costs one sync per directory; bounded, because a vault may hold very many.
const rememberedDirectories = 10_000;

export const durableNames = (fs: FileSystem, root: string): DurableNames => {
  const identities = new Map<string, string>();
  return {
    unknownAbove(path) {
      const found: FoundDirectory[] = [];
      for (let directory = dirname(path); directory !== '.'; directory = dirname(directory)) {
        const full = join(root, directory);
        const stat = fs.stat(full);
        const identity = stat === null ? '' : `${stat.ino}:${stat.birthtimeNs}`;
        if (stat === null || identities.get(directory) !== identity) found.push({ directory, identity, parent: dirname(full) });
      }
      return found;
    },
    remember(found) {
      if (identities.size > rememberedDirectories) identities.clear();
      for (const { directory, identity } of found) identities.set(directory, identity);
    },
  };
};
