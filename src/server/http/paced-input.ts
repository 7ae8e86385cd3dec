/** Reading that waits while too much of what was read has no answer yet. */
export interface PacedInput<T> {
  readonly items: AsyncIterable<T>;
  /** Tells that the oldest unanswered item has its answer. */
  answered(): void;
}

/**
 * Cuts chunks into items and stops reading chunks while the bytes behind unanswered items exceed `most`. One item alone may be larger: it is always
 * read to its end, or nothing would ever be answered.
 */
export const createPacedInput = <T>(
  chunks: AsyncIterable<Uint8Array>,
  cut: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<T>,
  most: number,
): PacedInput<T> => {
  let read = 0;
  let released = 0;
  /** How much had been read when each unanswered item was complete, oldest first. */
  const marks: number[] = [];
  let wake: (() => void) | null = null;

  async function* paced(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      read += chunk.length;
      yield chunk;
      while (marks.length > 0 && read - released > most) await new Promise<void>(resolve => (wake = resolve));
    }
  }
  async function* items(): AsyncGenerator<T> {
    for await (const item of cut(paced())) {
      marks.push(read);
      yield item;
    }
  }
  return {
    items: items(),
    answered: () => {
      released = marks.shift() ?? released;
      wake?.();
      wake = null;
    },
  };
};
