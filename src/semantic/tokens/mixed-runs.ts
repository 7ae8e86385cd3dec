/** A run longer than this is seldom met again. */
const longestKept = 40;
const mostKept = 20_000;

/**
 * Makes a function that rewrites the parts of a text that hold anything beyond ASCII, each with the ASCII letters and digits that touch it, and copies the
 * rest. Folding is a hundred times as dear as copying, and most words of most texts either are ASCII or come again, so short results are kept.
 */
export const rewritingMixedRuns = (rewrite: (run: string) => string, copy: (ascii: string) => string): ((text: string) => string) => {
  const kept = new Map<string, string>();
  const rewritten = (run: string): string => {
    if (run.length > longestKept) return rewrite(run);
    const known = kept.get(run);
    if (known !== undefined) return known;
    if (kept.size >= mostKept) kept.clear();
    const made = rewrite(run);
    kept.set(run, made);
    return made;
  };
  return text => {
    let result = '';
    let copied = 0;
    const beyond = /[^\0-\x7f]/g;
    for (let found = beyond.exec(text); found !== null; found = beyond.exec(text)) {
      let start = found.index;
      while (start > copied && isWordUnit(text.charCodeAt(start - 1))) start -= 1;
      let end = found.index + 1;
      while (end < text.length && isWordUnit(text.charCodeAt(end))) end += 1;
      result += copy(text.slice(copied, start)) + rewritten(text.slice(start, end));
      copied = end;
      beyond.lastIndex = end;
    }
    return result + copy(text.slice(copied));
  };
};

/** ASCII letters and digits, and everything beyond ASCII. */
const isWordUnit = (unit: number): boolean =>
  unit > 0x7f || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a);
