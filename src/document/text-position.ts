/** The 1-based line of an offset. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1;
  for (let feed = text.indexOf('\n'); feed >= 0 && feed < offset; feed = text.indexOf('\n', feed + 1)) line++;
  return line;
};

/** A 1-based line and column, in UTF-16 code units. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Tells the places of many offsets; fast when they come in ascending order, also where all are on one long line. */
export const createPlaceFinder = (text: string): ((offset: number) => TextPlace) => {
  let line = 1;
  let lineStart = 0;
  // The first line feed that is not yet counted.
  let feed = text.indexOf('\n');
  let last = 0;
  return offset => {
    if (offset < last) {
      line = 1;
      lineStart = 0;
      feed = text.indexOf('\n');
    }
    last = offset;
    for (; feed >= 0 && feed < offset; feed = text.indexOf('\n', feed + 1)) {
      line++;
      lineStart = feed + 1;
    }
    return { line, column: offset - lineStart + 1 };
  };
};

/** Tells the 1-based lines of many offsets; fast when they come in ascending order. */
export const createLineCounter = (text: string): ((offset: number) => number) => {
  const placeOf = createPlaceFinder(text);
  return offset => placeOf(offset).line;
};
