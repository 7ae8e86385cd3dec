import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

const longestPauseMs = 20;

/** Milliseconds to wait before try number `attempt` (from 0) of a lock; jittered, so that processes that collided once part. */
export const pauseBefore = (attempt: number): number => Math.min(longestPauseMs, 2 ** Math.min(attempt, 5)) * (0.5 + Math.random() / 2);

/** Milliseconds on a clock that nobody sets. */
export const monotonicNow = (): number => performance.now();

/**
 * Tries until `attempt` gives something other than null, or `timeoutMs` have passed; then null. The first retries cost no timer; `adjust` may shorten
 * the later pauses, to 0 for none.
 */
export const retryUntil = async <T>(
  attempt: () => T | null | Promise<T | null>,
  timeoutMs: number,
  adjust: (pauseMs: number) => number = pause => pause,
): Promise<T | null> => {
  const deadline = monotonicNow() + timeoutMs;
  for (let tries = 0; ; tries += 1) {
    const result = await attempt();
    if (result !== null) return result;
    if (monotonicNow() >= deadline) return null;
    const pause = tries < 3 ? 0 : adjust(pauseBefore(tries - 3));
    await (pause === 0 ? turn() : sleep(pause));
  }
};
