import type { CanonicalEvent } from '#adapter-contracts';
import type { EventLog } from './event-log.ts';

/** Gathers appends that arrive in one turn of the event loop into one write and one sync. */
export const createAppendQueue = (log: EventLog): ((event: CanonicalEvent) => Promise<void>) => {
  let waiting: { readonly event: CanonicalEvent; readonly settle: (failure: Error | null) => void }[] = [];
  const flush = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    try {
      const verdicts = await log.append(group.map(({ event }) => event));
      for (const [at, { settle }] of group.entries()) settle(verdicts[at] ?? null);
    } catch (error) {
      for (const { settle } of group) settle(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return event =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void flush());
      waiting.push({ event, settle: failure => (failure === null ? resolve() : reject(failure)) });
    });
};
