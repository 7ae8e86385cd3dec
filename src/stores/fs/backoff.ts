import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

const longestPauseMs = 20;

/** Milliseconds to wait before try number `attempt` (from 0) of a lock; jittered, so that processes that collided once part. */
export const pauseBefore = (attempt: number): number => Math.min(longestPauseMs, 2 ** Math.min(attempt, 5)) * (0.5 + Math.random() / 2);

/** Milliseconds on a clock that nobody sets. */
export const monotonicNow = (): number => performance.now();

/** Tries until `attempt` gives something other than null, or `timeoutMs` have passed; then null. The first retries cost no timer. */
export const retryUntil = async <T>(attempt: () => T | null | Promise<T | null>, timeoutMs: number): Promise<T | null> => {
  const deadline = monotonicNow() + timeoutMs;
  for (let tries = 0; ; tries += 1) {
    const result = await attempt();
    if (result !== null) return result;
    if (monotonicNow() >= deadline) return null;
    if (tries < 3) await turn();
    else await sleep(pauseBefore(tries - 3));
  }
};
