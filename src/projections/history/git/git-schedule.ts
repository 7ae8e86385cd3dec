import { reasonOf } from '#errors';
import type { GitHistory } from './git-history.ts';

/** Follows the commits of a process at a distance, for processes that live long enough. */
export interface GitSchedule {
  /** Something was recorded: it is committed to git a little later, together with what comes until then. */
  poke(): void;
  /** Why the last attempt failed; null when it did not. */
  problem(): string | null;
  /** Stops; an import that is under way is waited for. */
  close(): Promise<void>;
}

/** Long enough that what belongs together comes together, and that a command on the terminal is over before. */
const delayMilliseconds = 2_000;

export const createGitSchedule = (git: GitHistory, delay = delayMilliseconds): GitSchedule => {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let problem: string | null = null;
  const run = async (): Promise<void> => {
    try {
      await git.sync(ending.signal);
      problem = null;
    } catch (error) {
      problem = `The history in git is not kept up: ${reasonOf(error)}`;
    }
  };
  return {
    poke() {
      if (timer !== null || ending.signal.aborted) return;
      timer = setTimeout(() => {
        timer = null;
        running = (running ?? Promise.resolve()).then(run);
      }, delay);
      // Nobody waits for it: `sheaf history git sync`, or the next long-lived process, takes up what is left.
      timer.unref();
    },
    problem: () => problem,
    async close() {
      ending.abort();
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
};
