/** No request waits for more than this many others. */
const mostTogether = 256;

/**
 * Lets requests that arrive in the same moment enter the kernel together. Commits that meet share their syncs, but requests of many connections come in over
 * several turns of the event loop, and the first one alone would start a batch that the others miss. So each waits as long as every turn brings another
 * one: two turns when it is alone, which is microseconds, and no timer.
 *
 * @example await company(); // then hand the envelope to the kernel
 */
export const createCompany = (): (() => Promise<void>) => {
  let waiting: (() => void)[] = [];
  let seen = 0;
  const look = (): void => {
    if (waiting.length > seen && waiting.length < mostTogether) {
      seen = waiting.length;
      setImmediate(look);
      return;
    }
    const all = waiting;
    waiting = [];
    seen = 0;
    for (const enter of all) enter();
  };
  return () =>
    new Promise(resolve => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(look);
    });
};
