import { setImmediate as turn } from 'node:timers/promises';
import type { EventStore } from '#adapter-contracts';
import { createEventWindow, type EventWindow } from './event-window.ts';

/** Somebody who follows the log. */
export interface Follower {
  /** The event of the window to be read next. */
  place: number;
  wake: (() => void) | null;
}

/** Other processes append without saying so wherever the store gives no hints. */
const pollMs = 250;
/** Followers woken in one turn of the event loop, so that thousands of them do not hold up a commit. */
const wokenPerTurn = 32;
/** Events read in one turn. */
const readPerTurn = 500;

export interface LogTail {
  join(follower: Follower): void;
  leave(follower: Follower): void;
  /** Reads what was appended up to now into the window. Throws what the store throws. */
  look(): Promise<EventWindow>;
  /** Waits until there may be something new for the follower, or until it is woken to end. Throws when reading has failed. */
  more(follower: Follower): Promise<void>;
  poke(): void;
  close(): void;
}

/** The one reader. It rests while nobody follows. */
export const createLogTail = ({ events, workspaceId }: { readonly events: EventStore; readonly workspaceId: string }): LogTail => {
  const followers = new Set<Follower>();
  const window = createEventWindow();
  /** Behind what was read last; undefined = before the first event. `null` while nothing is known. */
  let at: string | undefined | null = null;
  let failure: { readonly error: unknown } | null = null;
  let reading: Promise<void> = Promise.resolve();
  let queued: Promise<void> | null = null;
  let lastRound = 0;
  let soon: NodeJS.Timeout | null = null;
  let poll: NodeJS.Timeout | null = null;
  let unwatch: (() => void) | null = null;

  const readNew = async (): Promise<void> => {
    if (at === null) at = (await events.end()) ?? undefined;
    const from = at;
    const before = window.end();
    for await (const replayed of events.replay({ workspaceId, ...(from === undefined ? {} : { cursor: from }) })) {
      window.add(replayed);
      at = replayed.cursor;
      // A flood from another process: whoever waits reads it from the log.
      if ((window.end() - before) % readPerTurn === 0) {
        trim();
        await turn();
      }
    }
    trim();
    if (window.end() > before) await wakeAll();
    lastRound = performance.now();
  };
  const trim = (): void => {
    let needed = window.end();
    for (const { place } of followers) needed = Math.min(needed, place);
    window.trim(needed);
  };
  const wakeAll = async (): Promise<void> => {
    let woken = 0;
    for (const follower of [...followers]) {
      if (follower.wake === null) continue;
      follower.wake();
      woken += 1;
      if (woken % wokenPerTurn === 0) await turn();
    }
  };
  /** A reading that begins after this call. */
  const read = (): Promise<void> => {
    queued ??= reading
      .catch(() => undefined)
      .then(() => {
        queued = null;
        reading = readNew();
        return reading;
      });
    return queued;
  };
  const readAside = (): void => {
    read().catch(async (error: unknown) => {
      failure = { error };
      await wakeAll();
    });
  };
  const watch = (): void => {
    unwatch ??= events.watch?.(poke) ?? null;
  };
  const pollNow = (): void => {
    // What could not be watched then may be there now.
    watch();
    readAside();
  };
  const rest = (): void => {
    for (const timer of [soon, poll]) if (timer !== null) clearTimeout(timer);
    unwatch?.();
    [soon, poll, unwatch, at, failure] = [null, null, null, null, null];
    window.trim(window.end());
  };
  const poke = (): void => {
    if (followers.size === 0 || soon !== null) return;
    // The more there is to wake, the more events one round takes along.
    const pause = Math.min(2 + followers.size / 10, pollMs);
    soon = setTimeout(
      () => {
        soon = null;
        readAside();
      },
      Math.max(0, lastRound + pause - performance.now()),
    );
  };

  return {
    join(follower) {
      followers.add(follower);
      poll ??= setInterval(pollNow, pollMs);
      watch();
    },
    leave(follower) {
      if (followers.delete(follower) && followers.size === 0) rest();
    },
    async look() {
      await read();
      return window;
    },
    async more(follower) {
      await new Promise<void>(resolve => {
        follower.wake = resolve;
      });
      follower.wake = null;
      if (failure !== null) throw failure.error;
    },
    poke,
    close() {
      rest();
      for (const follower of followers) follower.wake?.();
    },
  };
};
