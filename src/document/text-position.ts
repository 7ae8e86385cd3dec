/** The 1-based line of an offset. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1;
  for (let feed = text.indexOf('\n'); feed >= 0 && feed < offset; feed = text.indexOf('\n', feed + 1)) line++;
  return line;
};

/** The 1-based line and column (UTF-16 code units) of an offset. */
export const positionAt = (text: string, offset: number): { readonly line: number; readonly column: number } => ({
  line: lineAt(text, offset),
  column: offset === 0 ? 1 : offset - text.lastIndexOf('\n', offset - 1),
});
