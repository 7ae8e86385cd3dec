import { linesOf, matchLines } from './line-matches.ts';

/** What is followed back through the versions: for each line of a text, whether its origin is known by now. */
export interface LineTracer<O> {
  /** True while some line has no origin yet. */
  open(): boolean;
  /** Goes back to an earlier text: lines that it lacks are of this origin, the others are looked for in it from now on. */
  back(earlier: string, origin: O): void;
  /** Nothing earlier: every line that is left is of this origin. */
  end(origin: O): void;
  /** The origin of each line, once no line is open. */
  origins(): readonly O[];
}

/** Follows the lines of `text` back through its versions, newest first, as `git blame` does. */
export const traceLines = <O>(text: string): LineTracer<O> => {
  let lines = linesOf(text);
  /** For each line of the text reached so far, which lines of the first text it became; a line is one line all the way. */
  let became: readonly (number | null)[] = lines.map((_, index) => index);
  const origins = new Map<number, O>();
  const total = lines.length;
  const settle = (index: number | null | undefined, origin: O): void => {
    if (index !== null && index !== undefined) origins.set(index, origin);
  };
  return {
    open: () => origins.size < total,
    back(earlier, origin) {
      const before = linesOf(earlier);
      const mapped: (number | null)[] = Array.from({ length: before.length }, () => null);
      let next = 0;
      for (const match of matchLines(before, lines)) {
        for (; next < match.after; next += 1) settle(became[next], origin);
        for (let step = 0; step < match.length; step += 1) mapped[match.before + step] = became[next + step] ?? null;
        next += match.length;
      }
      for (; next < lines.length; next += 1) settle(became[next], origin);
      lines = before;
      became = mapped;
    },
    end(origin) {
      for (const index of became) settle(index, origin);
      became = [];
      lines = [];
    },
    origins: () => Array.from({ length: total }, (_, index) => origins.get(index) as O),
  };
};
