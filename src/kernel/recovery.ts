// Decides commits that a process left half done, by the table of §6.3.
import type { CommitIntent, EventStore, IntentOutcome, LockedTarget, ResolveIntent, Vfs } from '#adapter-contracts';

/** Asks the log first: once it holds the event, the commit stands whatever the document says now. */
export const createResolver =
  (events: EventStore): ResolveIntent =>
  async (intent, target) =>
    (await events.findById(intent.event_id)) === null ? rollBack(intent, target) : 'committed';

/**
 * Takes stage 9 back for a commit whose event is not in the log. `conflict` = the document is neither what the commit wrote nor what it found, so
 * someone else wrote it and it stays as it is.
 */
export async function rollBack(intent: CommitIntent, target: LockedTarget): Promise<Exclude<IntentOutcome, 'committed' | 'in_flight'>> {
  const hash = (await target.read())?.hash ?? null;
  if (hash === intent.intended_hash) {
    await target.restore(intent.prior);
    return 'rolled_back';
  }
  return hash === intent.prior_hash ? 'discarded' : 'conflict';
}

/** The document at `path` for a caller that holds its commit lock. */
export const lockedTarget = (vfs: Vfs, path: string): LockedTarget => ({
  read: () => vfs.read(path),
  async restore(content) {
    const now = await vfs.read(path);
    if (content !== null) await vfs.writeAtomic(path, content, now === null ? { ifAbsent: true } : { version: now.version });
    else if (now !== null) await vfs.remove(path, { version: now.version });
  },
});
