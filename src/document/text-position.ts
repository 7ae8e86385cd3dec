/** The 1-based line of an offset. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1;
  for (let feed = text.indexOf('\n'); feed >= 0 && feed < offset; feed = text.indexOf('\n', feed + 1)) line++;
  return line;
};

/** Tells the 1-based lines of many offsets; fast when they come in ascending order. */
export const createLineCounter = (text: string): ((offset: number) => number) => {
  let line = 1;
  // The first line feed that is not yet counted.
  let feed = text.indexOf('\n');
  let last = 0;
  return offset => {
    if (offset < last) {
      line = 1;
      feed = text.indexOf('\n');
    }
    last = offset;
    for (; feed >= 0 && feed < offset; feed = text.indexOf('\n', feed + 1)) line++;
    return line;
  };
};

/** The 1-based column of an offset, in UTF-16 code units. */
export const columnAt = (text: string, offset: number): number => (offset === 0 ? 1 : offset - text.lastIndexOf('\n', offset - 1));
