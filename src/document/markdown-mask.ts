// Stands for a character that must not be read as Markdown; it means nothing to any of the readers.
const mask = '\u0001';

/** The text of one block with code spans, comments and escaped characters blanked out, every offset kept. */
export const maskInlineCode = (text: string): string => {
  if (!/[`\\]|<!--/.test(text)) return text;
  const runs = indexBacktickRuns(text);
  let result = '';
  let from = 0;
  const blank = (start: number, end: number): void => {
    result += text.slice(from, start) + mask.repeat(end - start);
    from = end;
  };
  for (let pos = 0; pos < text.length; ) {
    const code = text[pos];
    if (code === '\\') {
      // A table cell writes the pipe of a wiki link as `\|`.
      if (/^[!-/:-@[-`{}~]$/.test(text[pos + 1] ?? '')) blank(pos, pos + 2);
      pos += 2;
    } else if (code === '`') {
      const length = runs.lengths.get(pos) ?? runLength(text, pos);
      const closing = findClosing(runs, length, pos + length);
      if (closing >= 0) blank(pos, closing + length);
      pos = closing >= 0 ? closing + length : pos + length;
    } else if (code === '<' && text.startsWith('<!--', pos)) {
      const closing = text.indexOf('-->', pos + 4);
      if (closing >= 0) blank(pos, closing + 3);
      pos = closing >= 0 ? closing + 3 : text.length;
    } else pos++;
  }
  return result + text.slice(from);
};

interface BacktickRuns {
  readonly lengths: ReadonlyMap<number, number>;
  /** Starts of the runs of each length, in order, and how many of them lie behind the reader. */
  readonly starts: ReadonlyMap<number, { readonly at: number[]; passed: number }>;
}

const indexBacktickRuns = (text: string): BacktickRuns => {
  const lengths = new Map<number, number>();
  const starts = new Map<number, { at: number[]; passed: number }>();
  for (const match of text.matchAll(/`+/g)) {
    const length = match[0].length;
    lengths.set(match.index, length);
    const known = starts.get(length);
    if (known === undefined) starts.set(length, { at: [match.index], passed: 0 });
    else known.at.push(match.index);
  }
  return { lengths, starts };
};

/** After an escaped backtick the run is shorter than the one that was indexed. */
const runLength = (text: string, pos: number): number => {
  let end = pos;
  while (text[end] === '`') end++;
  return end - pos;
};

const findClosing = ({ starts }: BacktickRuns, length: number, from: number): number => {
  const known = starts.get(length);
  if (known === undefined) return -1;
  while (known.passed < known.at.length && (known.at[known.passed] ?? 0) < from) known.passed++;
  return known.at[known.passed] ?? -1;
};
