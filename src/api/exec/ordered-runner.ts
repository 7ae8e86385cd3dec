/** A unit of work with the names it must not overtake: units that share one run in input order. */
export interface OrderedTask<T> {
  readonly sharedNames: readonly string[];
  run(): Promise<T>;
}

export interface OrderedRunnerOptions<T> {
  /** How many run at once. */
  readonly concurrency: number;
  /** Results in input order, each as soon as it and all earlier ones are there; reading waits for it. */
  readonly emit: (result: T) => Promise<void>;
  /** Aborted: no further task is taken; those begun are finished and emitted. */
  readonly signal: AbortSignal;
}

/**
 * Runs a stream of tasks: those that share a name one after the other in input order, others up to `concurrency` at once. The number of tasks that
 * were read and not yet emitted is bounded, so endless input waits for slow output.
 */
export const runInOrder = async <T>(tasks: AsyncIterable<OrderedTask<T>>, options: OrderedRunnerOptions<T>): Promise<void> => {
  const { concurrency, emit, signal } = options;
  const slots = createSlots(concurrency);
  const queue = createQueue<{ readonly result: Promise<T> }>(Math.max(concurrency * 4, 16));
  const lastByName = new Map<string, Promise<unknown>>();

  const start = (task: OrderedTask<T>): Promise<T> => {
    const before = task.sharedNames.flatMap(name => lastByName.get(name) ?? []);
    const result = (async () => {
      await Promise.allSettled(before);
      // A slot is taken only when nothing is waited for any more; otherwise waiting tasks could hold every slot.
      await slots.take();
      try {
        return await task.run();
      } finally {
        slots.free();
      }
    })();
    // Emitted (and its failure seen) later; until then a rejection is not unhandled.
    result.catch(() => undefined);
    for (const name of task.sharedNames) lastByName.set(name, result);
    void result
      .finally(() => {
        for (const name of task.sharedNames) if (lastByName.get(name) === result) lastByName.delete(name);
      })
      .catch(() => undefined);
    return result;
  };

  const reading = (async () => {
    try {
      for await (const task of tasks) {
        if (signal.aborted) break;
        await queue.put({ result: start(task) });
        if (signal.aborted) break;
      }
    } finally {
      queue.end();
    }
  })();
  reading.catch(() => undefined);
  try {
    for (let next = await queue.next(); next !== null; next = await queue.next()) await emit(await next.result);
  } catch (error) {
    queue.abandon();
    throw error;
  }
  await reading;
};

const createSlots = (count: number) => {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    take: (): Promise<void> => {
      if (free === 0) return new Promise(resolve => waiting.push(resolve));
      free -= 1;
      return Promise.resolve();
    },
    free: (): void => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
};

// A bounded queue between the reader and the printer.
const createQueue = <T>(limit: number) => {
  const items: T[] = [];
  let ended = false;
  let wakeReader: (() => void) | null = null;
  let wakePrinter: (() => void) | null = null;
  const wake = (who: 'reader' | 'printer'): void => {
    const resolve = who === 'reader' ? wakeReader : wakePrinter;
    if (who === 'reader') wakeReader = null;
    else wakePrinter = null;
    resolve?.();
  };
  return {
    async put(item: T): Promise<void> {
      items.push(item);
      wake('printer');
      if (items.length >= limit && !ended) await new Promise<void>(resolve => (wakeReader = resolve));
    },
    async next(): Promise<T | null> {
      while (items.length === 0 && !ended) await new Promise<void>(resolve => (wakePrinter = resolve));
      const item = items.shift();
      if (items.length < limit) wake('reader');
      return item ?? null;
    },
    end(): void {
      ended = true;
      wake('printer');
    },
    abandon(): void {
      ended = true;
      items.length = 0;
      wake('reader');
    },
  };
};
