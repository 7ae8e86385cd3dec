import type { ResolveIntent } from '#adapter-contracts';

/** Decides a leftover by the table of §6.3, with `committed` standing for the event ids the log holds. */
export const resolveByTable =
  (committed: ReadonlySet<string>): ResolveIntent =>
  async (intent, target) => {
    if (committed.has(intent.event_id)) return 'committed';
    const hash = (await target.read())?.hash ?? null;
    if (hash === intent.intended_hash) {
      await target.restore(intent.prior);
      return 'rolled_back';
    }
    return hash === intent.prior_hash ? 'discarded' : 'conflict';
  };
