import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/** Lets many do their work one after another, each for one turn of the event loop. */
export interface Turnstile {
  visitor(): Visitor;
}

/** Somebody who works in turns. */
export interface Visitor {
  /** Whether one more thing fits into the turn it has; whoever waited for something else meanwhile has lost that turn. */
  mayGoOn(): boolean;
  /** Waits for a turn. */
  enter(): Promise<void>;
}

/** Things done in one turn. */
const perTurn = 128;
/** Fewer than these are no crowd: they need no more than a moment, and none of them shall wait. */
const crowd = 8;
/** A crowd rests this many times as long as it works. */
const restsPerWork = 3;
/** Rests shorter than this are saved up. */
const shortestRestMs = 4;

/**
 * A crowd that passes works for a quarter of the time at most: a thousand streams that all want to send something must not hold up a commit. Neither
 * may those whose sockets take more all at once, so a turn ends with the turn of the event loop, whatever its holder waited for.
 */
export const createTurnstile = (): Turnstile => {
  const queue: (() => void)[] = [];
  let passing = false;
  /** Counts turns; uneven while one lasts. */
  let turns = 0;
  const letPass = async (): Promise<void> => {
    passing = true;
    for (let owed = 0, next = queue.shift(); next !== undefined; next = queue.shift()) {
      const start = performance.now();
      turns += 1;
      next();
      await turn();
      turns += 1;
      if (queue.length < crowd) continue;
      owed += (performance.now() - start) * restsPerWork;
      if (owed < shortestRestMs) continue;
      await delay(owed);
      owed = 0;
    }
    passing = false;
  };
  return {
    visitor() {
      let own = -1;
      let done = 0;
      return {
        mayGoOn() {
          done += 1;
          return own === turns && done <= perTurn;
        },
        enter: () =>
          new Promise(resolve => {
            queue.push(() => {
              own = turns;
              done = 1;
              resolve();
            });
            if (!passing) void letPass();
          }),
      };
    },
  };
};
