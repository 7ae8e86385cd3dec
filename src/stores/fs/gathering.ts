/** Lets calls that belong to one batch wait for each other and then run as one. */
export interface Gathering<T, R> {
  add(item: T): Promise<R>;
  /** Call when fewer calls are to be expected than before. */
  expectLess(): void;
}

/**
 * Runs `execute` on everything added so far when all of `expected()` callers are here, and otherwise at the end of this turn of the event loop: no
 * timer, and nobody waits for a caller that does something else first.
 */
export const createGathering = <T, R>(
  expected: () => number,
  execute: (items: readonly T[]) => Promise<readonly PromiseSettledResult<R>[]>,
): Gathering<T, R> => {
  let waiting: { readonly item: T; readonly resolve: (value: R) => void; readonly reject: (reason: unknown) => void }[] = [];
  let scheduled = false;
  const flush = async (): Promise<void> => {
    scheduled = false;
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    try {
      const results = await execute(group.map(({ item }) => item));
      for (const [at, { resolve, reject }] of group.entries()) {
        const result = results[at]!;
        if (result.status === 'fulfilled') resolve(result.value);
        else reject(result.reason);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };
  const flushWhenComplete = (): void => {
    if (waiting.length > 0 && waiting.length >= expected()) void flush();
  };
  return {
    add: item =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (!scheduled) {
          scheduled = true;
          setImmediate(() => void flush());
        }
        flushWhenComplete();
      }),
    expectLess: flushWhenComplete,
  };
};
