/** Levels after commits and reported changes, so that the next question finds little to do; never in the way of the commits themselves. */
export interface BackgroundLevelling {
  /** Something changed. */
  poke(): void;
  stop(): void;
}

/** A lull this long after the last change begins a levelling; while changes keep coming, one begins at the latest after the second. */
const quietMs = 20;
const latestMs = 250;

export const createBackgroundLevelling = (level: () => Promise<unknown>): BackgroundLevelling => {
  let timer: NodeJS.Timeout | null = null;
  let first = 0;
  let running = false;
  let again = false;
  let stopped = false;

  const run = async (): Promise<void> => {
    timer = null;
    running = true;
    await level().finally(() => {
      running = false;
    });
    if (!again) return;
    again = false;
    poke();
  };
  const poke = (): void => {
    if (stopped) return;
    if (running) {
      again = true;
      return;
    }
    const now = performance.now();
    if (timer === null) first = now;
    else clearTimeout(timer);
    timer = setTimeout(() => void run(), Math.max(0, Math.min(quietMs, first + latestMs - now)));
    // A process that has nothing else to do may end: the next one levels.
    timer.unref();
  };
  return {
    poke,
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
};
