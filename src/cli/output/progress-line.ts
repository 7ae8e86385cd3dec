import type { WriteStream } from 'node:tty';

export interface ProgressLine {
  /** So many of so many are done. */
  update(done: number, total: number): void;
  /** Takes the line away. */
  end(): void;
}

const pauseMs = 100;

/**
 * One line on a terminal that tells how far a long work is, how fast it goes and how long it will still take; nothing elsewhere. The rate counts from
 * the first update, so that what was done before does not flatter it.
 */
export const createProgressLine = (
  label: string,
  { stream, quiet, now = () => performance.now() }: { readonly stream: WriteStream; readonly quiet: boolean; readonly now?: () => number },
): ProgressLine => {
  const shown = stream.isTTY === true && !quiet;
  let first: { readonly at: number; readonly done: number } | null = null;
  let written = 0;
  let last = Number.NEGATIVE_INFINITY;
  return {
    update(done, total) {
      const at = now();
      first ??= { at, done };
      if (!shown || (at - last < pauseMs && done < total)) return;
      last = at;
      const text = progressText(label, { done, total, newly: done - first.done, seconds: (at - first.at) / 1000 });
      stream.write(`\r${text.padEnd(written)}`);
      written = text.length;
    },
    end() {
      if (written > 0) stream.write(`\r${' '.repeat(written)}\r`);
      written = 0;
    },
  };
};

/** `embedding 120/400, 8.3/s, 34 s left`. */
export const progressText = (
  label: string,
  { done, total, newly, seconds }: { readonly done: number; readonly total: number; readonly newly: number; readonly seconds: number },
): string => {
  const rate = seconds > 0 ? newly / seconds : 0;
  if (rate === 0) return `${label} ${done}/${total}`;
  const left = Math.ceil((total - done) / rate);
  const time = left < 120 ? `${left} s` : left < 7200 ? `${Math.round(left / 60)} min` : `${Math.round(left / 3600)} h`;
  return `${label} ${done}/${total}, ${rate.toFixed(rate < 10 ? 1 : 0)}/s, ${time} left`;
};
