import { hashContent } from '#document';

const firstDelayMs = 30_000;
const longestDelayMs = 3_600_000;

/**
 * How long a task rests before try `attempt + 1`: twice as long each time, up to an hour, spread over half of it by a number that follows from the task
 * and the try alone, so that everybody computes the same and many tasks do not come back at one moment (§11.8 retries).
 */
export const retryDelay = (taskPath: string, attempt: number): number => {
  const full = Math.min(firstDelayMs * 2 ** Math.min(Math.max(attempt, 1) - 1, 20), longestDelayMs);
  const digits = hashContent(JSON.stringify([taskPath, attempt])).slice('sha256:'.length, 'sha256:'.length + 8);
  return Math.round(full * (0.5 + Number.parseInt(digits, 16) / 0x1_0000_0000 / 2));
};
