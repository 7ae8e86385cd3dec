import { linesOf, type MatchingLines, matchLines } from './line-matches.ts';

/** One side of a difference: its text, null = nothing is there, and what it is called. */
export interface DiffSide {
  readonly text: string | null;
  readonly label: string;
}

const contextLines = 3;

/** A unified difference of two versions of the document at `path`, as `diff -u` and `git diff` write it; the empty text when they are equal. */
export const unifiedDiff = (path: string, from: DiffSide, to: DiffSide): string => {
  if (from.text === to.text) return '';
  const [before, after] = [linesOf(from.text ?? ''), linesOf(to.text ?? '')];
  const head = [
    `--- ${from.text === null ? '/dev/null' : `a/${path}`}\t${from.label}`,
    `+++ ${to.text === null ? '/dev/null' : `b/${path}`}\t${to.label}`,
  ];
  const hunks = hunksOf(matchLines(before, after), before, after);
  return `${head.join('\n')}\n${hunks.map(hunk => hunkText(hunk, before, after)).join('')}`;
};

/** A run of changed lines: [from, to) on either side. */
interface Edit {
  readonly before: readonly [number, number];
  readonly after: readonly [number, number];
}

/** Edits that stand so near to each other that their contexts meet are shown together. */
const hunksOf = (matches: readonly MatchingLines[], before: readonly string[], after: readonly string[]): readonly (readonly Edit[])[] => {
  const edits: Edit[] = [];
  let [from, to] = [0, 0];
  for (const match of [...matches, { before: before.length, after: after.length, length: 0 }]) {
    if (match.before > from || match.after > to) edits.push({ before: [from, match.before], after: [to, match.after] });
    [from, to] = [match.before + match.length, match.after + match.length];
  }
  const hunks: Edit[][] = [];
  for (const edit of edits) {
    const last = hunks.at(-1)?.at(-1);
    if (last !== undefined && edit.before[0] - last.before[1] <= 2 * contextLines) hunks.at(-1)?.push(edit);
    else hunks.push([edit]);
  }
  return hunks;
};

const hunkText = (edits: readonly Edit[], before: readonly string[], after: readonly string[]): string => {
  const [first, last] = [edits[0]!, edits.at(-1)!];
  const lead = Math.min(contextLines, first.before[0]);
  const trail = Math.min(contextLines, before.length - last.before[1]);
  const lines: string[] = [];
  let at = first.before[0] - lead;
  for (const edit of edits) {
    lines.push(shownAll(' ', before.slice(at, edit.before[0])));
    lines.push(shownAll('-', before.slice(...edit.before)), shownAll('+', after.slice(...edit.after)));
    [, at] = edit.before;
  }
  lines.push(shownAll(' ', before.slice(at, at + trail)));
  const old = range(first.before[0] - lead, last.before[1] + trail);
  const now = range(first.after[0] - lead, last.after[1] + trail);
  return `@@ -${old} +${now} @@\n${lines.join('')}`;
};

/** Line and count as the format has it: a side without lines names the line before. */
const range = (start: number, end: number): string => {
  const count = end - start;
  const line = count === 0 ? start : start + 1;
  return count === 1 ? `${line}` : `${line},${count}`;
};

const shownAll = (mark: string, lines: readonly string[]): string => lines.map(line => shown(mark, line)).join('');

const shown = (mark: string, line: string): string =>
  line.endsWith('\n') ? `${mark}${line}` : `${mark}${line}\n\\ No newline at end of file\n`;
