import type { IntentJournal } from '#adapter-contracts';
import type { Committer } from './committer.ts';
import type { LeftoverIntents } from './leftover-intents.ts';

/** Commit intents and commit locks of the vault (§6.3); the work is the committer's. */
export const createFsIntentJournal = (committer: Committer, leftovers: LeftoverIntents): IntentJournal => ({
  run: (path, intent, commit, { resolve }) => committer.run(path, intent, commit, resolve),
  settle: (path, { resolve }) => committer.settle(path, resolve),
  async recover(resolve) {
    committer.resume();
    return leftovers.recover(resolve);
  },
});
