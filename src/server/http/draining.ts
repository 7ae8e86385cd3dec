/** Long answers that must end for the server to close. */
export interface Draining {
  /** True from the moment the server begins to close. */
  readonly closing: () => boolean;
  /** Calls `end` when the server closes; gives what to call when the answer ended by itself. */
  join(end: () => void): () => void;
  /** Resolves when every answer that joined has left. */
  drain(): Promise<void>;
}

export const createDraining = (): Draining => {
  const ends = new Set<() => void>();
  let closing = false;
  let empty: (() => void) | null = null;
  return {
    closing: () => closing,
    join(end) {
      const own = (): void => end();
      ends.add(own);
      if (closing) own();
      return () => {
        ends.delete(own);
        if (ends.size === 0) empty?.();
      };
    },
    async drain() {
      closing = true;
      const left = new Promise<void>(resolve => (empty = resolve));
      for (const end of [...ends]) end();
      if (ends.size > 0) await left;
    },
  };
};
