import type { CommitIntent, IntentJournal, RecoveryReport, ResolveIntent, Vfs } from '#adapter-contracts';
import { lockedTarget } from './recovery.ts';

/**
 * Commit locks and intents for a VFS whose state dies with the process (§6.3): nothing to survive, but concurrent envelopes must still not meet
 * between stages 9 and 10, and an append of unknown outcome must still be decided before the next commit on its path.
 */
export function createInProcessJournal(vfs: Vfs): IntentJournal {
  const lastHolders = new Map<string, Promise<unknown>>();
  const leftovers = new Map<string, CommitIntent>();

  async function locked<T>(path: string, work: () => Promise<T>): Promise<T> {
    const mine = (lastHolders.get(path) ?? Promise.resolve()).then(work);
    const settled = mine.catch(() => undefined);
    lastHolders.set(path, settled);
    try {
      return await mine;
    } finally {
      if (lastHolders.get(path) === settled) lastHolders.delete(path);
    }
  }

  async function resolveLeftover(path: string, resolve: ResolveIntent): Promise<readonly RecoveryReport[]> {
    const intent = leftovers.get(path);
    if (intent === undefined) return [];
    const outcome = await resolve(intent, lockedTarget(vfs, path));
    leftovers.delete(path);
    return [{ workspace_id: intent.workspace_id, path, event_id: intent.event_id, outcome }];
  }

  return {
    run: (path, intent, commit, { resolve }) =>
      locked(path, async () => {
        const resolved = await resolveLeftover(path, resolve);
        return commit({ resolved, keepIntent: () => void leftovers.set(path, intent) });
      }),
    settle: (path, { resolve }) => locked(path, () => resolveLeftover(path, resolve)),
    async recover(resolve) {
      const reports: RecoveryReport[] = [];
      for (const path of [...leftovers.keys()]) reports.push(...(await locked(path, () => resolveLeftover(path, resolve))));
      return reports;
    },
  };
}
