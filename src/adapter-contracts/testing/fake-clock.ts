import type { Clock } from '#adapter-contracts';

export interface FakeClock extends Clock {
  set(instant: Date | string): void;
  advance(milliseconds: number): void;
}

/** A clock that stands still until a test moves it. */
export const fakeClock = (start: Date | string = '2026-05-16T08:00:00.000Z'): FakeClock => {
  let milliseconds = new Date(start).getTime();
  return {
    now: () => new Date(milliseconds),
    set(instant) {
      milliseconds = new Date(instant).getTime();
    },
    advance(by) {
      milliseconds += by;
    },
  };
};
