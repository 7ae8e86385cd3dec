import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { Random } from '#adapter-contracts/testing';

/**
 * Runs `work` on a time that is counted and not measured: a millisecond is one turn of the event loop, and chance comes from `random`. Waiting for a
 * lock then takes as many turns on every machine, so that a seed always gives the same run, and costs next to nothing.
 */
export const onCountedTime = async <T>(random: Random, work: () => Promise<T>): Promise<T> => {
  const real = { sleep: timers.setTimeout, now: performance.now.bind(performance), random: Math.random, setTimeout, clearTimeout };
  let turns = 0;
  let running = true;
  const beat = (): void => {
    turns += 1;
    if (running) setImmediate(beat);
  };
  const after = (milliseconds: number, done: () => void): { cancelled: boolean } => {
    const waiting = { cancelled: false };
    const until = turns + Math.max(1, Math.ceil(milliseconds));
    const look = (): void => {
      if (waiting.cancelled) return;
      if (turns >= until || !running) done();
      else setImmediate(look);
    };
    setImmediate(look);
    return waiting;
  };
  const fake = {
    sleep: (milliseconds: number) => new Promise<void>(resolve => after(milliseconds, resolve)),
    setTimeout: (done: () => void, milliseconds = 0) => after(milliseconds, done),
    clearTimeout: (timer: { cancelled: boolean } | undefined) => {
      if (timer !== undefined) timer.cancelled = true;
    },
  };
  const install = (parts: object): void => {
    const { sleep, now, random: chance, ...globals } = parts as typeof real;
    timers.setTimeout = sleep;
    syncBuiltinESMExports();
    performance.now = now;
    Math.random = chance;
    Object.assign(globalThis, globals);
  };
  install({ ...fake, now: () => turns, random });
  setImmediate(beat);
  try {
    return await work();
  } finally {
    running = false;
    install(real);
  }
};
