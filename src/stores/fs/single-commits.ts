import type { FileSystem, RecoveryReport, ResolveIntent, StoredDocument } from '#adapter-contracts';
import { VaultError } from '#errors';
import { retryUntil } from './backoff.ts';
import type { DocumentChange } from './change-step.ts';
import type { DocumentWriter } from './document-writer.ts';
import type { LeftoverIntents } from './leftover-intents.ts';
import { lockTimeout, type PathLocks, pathSlot } from './path-locks.ts';

export interface SingleCommitOptions {
  readonly fs: FileSystem;
  readonly pathLocks: PathLocks;
  readonly leftovers: LeftoverIntents;
  readonly documents: DocumentWriter;
  readonly lockTimeoutMs: number;
}

/** Work on one path outside a batch, under its commit lock. */
export interface SingleCommits {
  settle(path: string, resolve: ResolveIntent): Promise<readonly RecoveryReport[]>;
  change(change: DocumentChange): Promise<StoredDocument | null>;
}

export const createSingleCommits = ({ pathLocks, leftovers, documents, lockTimeoutMs }: SingleCommitOptions): SingleCommits => ({
  async settle(path, resolve) {
    const slot = pathSlot(path);
    const reports: RecoveryReport[] = [];
    const settled = await retryUntil(async () => {
      if (!pathLocks.tryLock(slot)) return null;
      try {
        if (!leftovers.slots().has(slot)) return true;
        const found = await leftovers.settle(slot, resolve);
        reports.push(...found.reports);
        return found.busy ? null : true;
      } finally {
        pathLocks.unlock(slot);
      }
    }, lockTimeoutMs);
    if (settled === null) throw lockTimeout(path, lockTimeoutMs);
    return reports;
  },
  async change(change) {
    const slot = await pathLocks.lock(change.path, lockTimeoutMs);
    try {
      // Nobody here can decide a half-done commit, and nothing may be written on top of one.
      if (leftovers.slots().has(slot)) {
        throw new VaultError(
          'version_conflict',
          { path: change.path },
          `A commit on '${change.path}' was left half done; run recovery first.`,
        );
      }
      const [result] = await documents.apply([change]);
      if (result?.status === 'rejected') throw result.reason;
      return result?.value ?? null;
    } finally {
      pathLocks.unlock(slot);
    }
  },
});
