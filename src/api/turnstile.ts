import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/** Lets many do their work one after another. */
export interface Turnstile {
  /** Resolves when it is the caller's turn; what it does until it next waits for something counts as its turn. */
  enter(): Promise<void>;
}

/** Fewer than these are no crowd: they need no more than a moment, and none of them shall wait. */
const crowd = 8;
/** A crowd rests this many times as long as it works. */
const restsPerWork = 3;
/** Rests shorter than this are saved up. */
const shortestRestMs = 4;

/**
 * A crowd that passes works for a quarter of the time at most, and for one turn of the event loop at a time: a thousand streams that all want to send
 * something must not hold up a commit.
 */
export const createTurnstile = (): Turnstile => {
  const queue: (() => void)[] = [];
  let passing = false;
  const letPass = async (): Promise<void> => {
    passing = true;
    for (let owed = 0, next = queue.shift(); next !== undefined; next = queue.shift()) {
      const start = performance.now();
      next();
      await turn();
      if (queue.length < crowd) continue;
      owed += (performance.now() - start) * restsPerWork;
      if (owed < shortestRestMs) continue;
      await delay(owed);
      owed = 0;
    }
    passing = false;
  };
  return {
    enter: () =>
      new Promise(resolve => {
        queue.push(resolve);
        if (!passing) void letPass();
      }),
  };
};
