import { diffArrays } from 'diff';

/** Lines that two texts have in common: `length` of them from `before` in the one and `after` in the other, counted from 0. */
export interface MatchingLines {
  readonly before: number;
  readonly after: number;
  readonly length: number;
}

/** The lines of a text, each with its ending; a text without one ends in a line without it. */
export const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/**
 * How many lines may differ before two texts count as wholly different between their common beginning and end. The search takes time and memory with the
 * square of it.
 */
export const mostEditedLines = 2_000;

/** The lines that stay from one text to another, in order: a shortest difference, within `mostEditedLines`. */
export const matchLines = (before: readonly string[], after: readonly string[]): readonly MatchingLines[] => {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const middle = matchMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail), head);
  const matches = [
    { before: 0, after: 0, length: head },
    ...middle,
    { before: before.length - tail, after: after.length - tail, length: tail },
  ];
  return matches.filter(({ length }) => length > 0);
};

const matchMiddle = (before: readonly string[], after: readonly string[], offset: number): readonly MatchingLines[] => {
  if (before.length === 0 || after.length === 0) return [];
  const changes = diffArrays([...before], [...after], { maxEditLength: mostEditedLines });
  const matches: MatchingLines[] = [];
  let [from, to] = [offset, offset];
  for (const { added, removed, count } of changes ?? []) {
    if (!added && !removed) matches.push({ before: from, after: to, length: count });
    if (!added) from += count;
    if (!removed) to += count;
  }
  return matches;
};
