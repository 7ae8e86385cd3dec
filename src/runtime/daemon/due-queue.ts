/** Things that become due, the earliest first: taking one out costs the logarithm of how many there are. */
export interface DueQueue<T> {
  add(at: number, item: T): void;
  /** The earliest instant; null when nothing waits. */
  next(): number | null;
  /** Takes out everything due at `now`, earliest first. */
  take(now: number): readonly T[];
  readonly size: number;
}

interface Entry<T> {
  readonly at: number;
  readonly item: T;
}

/** A binary heap. */
export const createDueQueue = <T>(): DueQueue<T> => {
  const heap: Entry<T>[] = [];
  const at = (index: number): number => heap[index]?.at ?? Number.POSITIVE_INFINITY;
  const swap = (one: number, other: number): void => {
    [heap[one], heap[other]] = [heap[other]!, heap[one]!];
  };
  const rise = (from: number): void => {
    for (let index = from; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (at(parent) <= at(index)) return;
      swap(parent, index);
      index = parent;
    }
  };
  const sink = (): void => {
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const smaller = at(right) < at(left) ? right : left;
      if (at(smaller) >= at(index)) return;
      swap(smaller, index);
      index = smaller;
    }
  };
  return {
    add(instant, item) {
      heap.push({ at: instant, item });
      rise(heap.length - 1);
    },
    next: () => heap[0]?.at ?? null,
    take(now) {
      const due: T[] = [];
      while (heap.length > 0 && at(0) <= now) {
        due.push(heap[0]!.item);
        const last = heap.pop()!;
        if (heap.length > 0) {
          heap[0] = last;
          sink();
        }
      }
      return due;
    },
    get size() {
      return heap.length;
    },
  };
};
