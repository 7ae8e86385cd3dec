import { displayWidth, fitEnd, fitText } from './terminal-text.ts';

/** A cell: text without control characters, and how to colour it. Colours do not count as width. */
export interface Cell {
  readonly text: string;
  readonly style?: (text: string) => string;
  /** When cut, keep the end: for paths. */
  readonly keepEnd?: true;
}

export interface TableOptions {
  /** Terminal columns; null when the output is not a terminal and nothing is cut. */
  readonly width: number | null;
  /** The column that gives way when a row is too wide. */
  readonly flexible?: number;
}

const gap = '  ';

/** Rows as aligned lines. The last column is never padded, so lines have no trailing blanks. */
export const tableLines = (rows: readonly (readonly Cell[])[], options: TableOptions): string[] => {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell.text));
  }
  const { width, flexible } = options;
  if (width !== null && flexible !== undefined) {
    const total = widths.reduce((sum, one) => sum + one + gap.length, -gap.length);
    const own = widths[flexible] ?? 0;
    if (total > width) widths[flexible] = Math.min(own, Math.max(own - (total - width), 12));
  }
  return rows.map(row =>
    row
      .map((cell, column) => paddedCell(cell, widths[column] ?? 0, column === row.length - 1))
      .join(gap)
      .trimEnd(),
  );
};

const paddedCell = (cell: Cell, width: number, last: boolean): string => {
  const text = (cell.keepEnd ? fitEnd : fitText)(cell.text, width);
  const shown = cell.style === undefined ? text : cell.style(text);
  return last ? shown : shown + ' '.repeat(Math.max(width - displayWidth(text), 0));
};
