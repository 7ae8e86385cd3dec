import type { DaemonRounds, Round } from './daemon-rounds.ts';

/** What wakes a daemon besides its clock; a hint that may come too often or not at all (§11.8: wake-ups are never canonical). */
export interface WakeUps {
  /** Calls `wake` when something may have changed; gives how to stop. */
  subscribe(wake: () => void): () => void;
}

interface LoopOptions {
  readonly rounds: DaemonRounds;
  readonly wakeUps: WakeUps;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onRound?: (round: Round) => void;
  /** A round failed; it is tried again. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * The longest sleep. A timer cannot wait for more than 24 days, and one that runs while a laptop sleeps or a clock is set is wrong by as much; so the
 * loop looks at the clock again at least this often.
 */
export const longestSleepMs = 30_000;
const afterFailureMs = 2_000;
const settleMs = 20;

/** Runs round after round until `signal` says so. A round that fails stops nothing. */
export const runDaemonLoop = async ({ rounds, wakeUps, signal, now, onRound, onFailure }: LoopOptions): Promise<void> => {
  const alarm = createAlarm(signal);
  const stop = wakeUps.subscribe(() => alarm.ring());
  try {
    while (!signal.aborted) {
      let sleep = afterFailureMs;
      try {
        const round = await rounds.round();
        onRound?.(round);
        if (round.more) continue;
        sleep = round.next === null ? longestSleepMs : Math.min(Math.max(round.next - now(), 0), longestSleepMs);
      } catch (error) {
        onFailure?.(error);
      }
      if (!signal.aborted) await alarm.wait(sleep);
    }
  } finally {
    stop();
    await rounds.close();
  }
};

/** Waits for a time or for a ring, whichever comes first; a ring while nobody waits is kept. */
export const createAlarm = (signal: AbortSignal): { ring(): void; wait(ms: number): Promise<void> } => {
  let rung = false;
  let wake: (() => void) | null = null;
  const ring = (): void => {
    rung = true;
    wake?.();
  };
  signal.addEventListener('abort', ring, { once: true });
  return {
    ring,
    async wait(ms) {
      if (!rung) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            // A moment, so that what comes together is looked at together.
            setTimeout(resolve, settleMs);
          };
        });
      }
      wake = null;
      rung = false;
    },
  };
};
