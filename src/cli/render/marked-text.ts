import { displayWidth, fitText, visibleLine } from '../output/terminal-text.ts';

/** Places in a text that are shown in another style, in code units; ascending, never overlapping. */
export type Marks = readonly { readonly start: number; readonly end: number }[];

/** Stored text on one line of the terminal with some of it styled, cut to a number of columns; null = as long as it is. */
export const markedLine = (text: string, marks: Marks, style: (text: string) => string, columns: number | null): string => {
  const pieces: { readonly text: string; readonly marked: boolean }[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    pieces.push({ text: text.slice(at, start), marked: false }, { text: text.slice(start, end), marked: true });
    at = end;
  }
  pieces.push({ text: text.slice(at), marked: false });
  let left = columns ?? Number.POSITIVE_INFINITY;
  let line = '';
  for (const piece of pieces) {
    if (piece.text === '' || left <= 0) continue;
    const shown = visibleLine(piece.text);
    const fitting = fitText(shown, left);
    line += piece.marked ? style(fitting) : fitting;
    left = fitting === shown ? left - displayWidth(shown) : 0;
  }
  return line;
};
