/** A range of the text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export interface MarkdownBlocks {
  /** Runs of lines that are read as Markdown text: paragraphs, headings, tables; never code, comments, or HTML that holds either. */
  readonly text: readonly TextRange[];
  /** Fenced code with its fences; one that is never closed runs to the end. */
  readonly fences: readonly (TextRange & { readonly closed: boolean })[];
}

/** A fenced block, an HTML comment or an element of code that hides the lines up to its end. */
interface Hidden {
  readonly start: number;
  readonly closing: RegExp;
  readonly isFence: boolean;
  readonly quotes: number;
  readonly column: number;
}

interface Reader {
  readonly text: string;
  readonly blocks: TextRange[];
  readonly fences: (TextRange & { readonly closed: boolean })[];
  start: number;
  end: number;
  hidden: Hidden | null;
  quotes: number;
  /** Content columns of the open list items, outermost first. */
  columns: number[];
  inIndentedCode: boolean;
}

/**
 * Tells text from code in a Markdown body, in one pass over its lines, also inside quotes and list items. Not a full
 * Markdown reader, but linear in time whatever the input; the full readers are not.
 */
export const readMarkdownBlocks = (text: string, from: number): MarkdownBlocks => {
  const reader: Reader = {
    text,
    blocks: [],
    fences: [],
    start: -1,
    end: from,
    hidden: null,
    quotes: 0,
    columns: [],
    inIndentedCode: false,
  };
  for (let pos = from; pos < text.length; ) {
    const feed = text.indexOf('\n', pos);
    const end = feed < 0 ? text.length : text[feed - 1] === '\r' && feed > pos ? feed - 1 : feed;
    readLine(reader, pos, end);
    pos = feed < 0 ? text.length : feed + 1;
  }
  closeBlock(reader);
  leaveHidden(reader, text.length, false);
  return { text: reader.blocks, fences: reader.fences };
};

const closeBlock = (reader: Reader): void => {
  if (reader.start >= 0) reader.blocks.push({ start: reader.start, end: reader.end });
  reader.start = -1;
};

const leaveHidden = (reader: Reader, end: number, closed: boolean): void => {
  if (reader.hidden?.isFence) reader.fences.push({ start: reader.hidden.start, end, closed });
  reader.hidden = null;
};

const readLine = (reader: Reader, start: number, end: number): void => {
  const { text, hidden } = reader;
  const { quotes, pos: quoteEnd } = passQuotes(text, start, end, hidden?.quotes ?? Number.POSITIVE_INFINITY);
  let { pos, column } = passIndent(text, quoteEnd, end, 0);
  const blank = pos === end;
  if (hidden !== null) {
    // Leaving the quote or the list item that holds a fence ends the fence.
    const outside = quotes < hidden.quotes || (!blank && column < hidden.column);
    const closing = column - hidden.column < 4 && hidden.closing.test(text.slice(pos, end));
    if (outside || closing) leaveHidden(reader, outside ? start : end, true);
    if (!outside) return;
  }
  if (blank) {
    closeBlock(reader);
    return;
  }
  if (quotes !== reader.quotes) enterQuotes(reader, quotes);
  if (reader.start >= 0 && column < (reader.columns.at(-1) ?? 0) && !blockStart.test(text.slice(pos, end))) {
    // A paragraph in a list item goes on over lines that lack its indentation.
    reader.end = end;
    return;
  }
  while (column < (reader.columns.at(-1) ?? 0)) reader.columns.pop();
  if (column - (reader.columns.at(-1) ?? 0) >= 4 && (reader.start < 0 || reader.inIndentedCode)) {
    reader.inIndentedCode = true;
    return;
  }
  reader.inIndentedCode = false;
  for (let marker = passListMarker(text, pos, end, column); marker !== null; marker = passListMarker(text, pos, end, column)) {
    closeBlock(reader);
    ({ pos, column } = marker);
    reader.columns.push(column);
  }
  readContent(reader, start, pos, end);
};

const blockStart = /^(?:(?:[-+*]|\d{1,9}[.)]|#{1,6})(?:[ \t]|$)|`{3}|~{3}|<!--|<(?:pre|script|style|textarea)(?:[\s>]|$))/i;

const passQuotes = (text: string, start: number, end: number, most: number): { quotes: number; pos: number } => {
  let quotes = 0;
  let pos = start;
  while (quotes < most) {
    const mark = passIndent(text, pos, end, 0);
    if (mark.column > 3 || mark.pos === end || text[mark.pos] !== '>') break;
    quotes++;
    pos = mark.pos + 1;
    if (text[pos] === ' ' && pos < end) pos++;
  }
  return { quotes, pos };
};

const passIndent = (text: string, from: number, end: number, startColumn: number): { pos: number; column: number } => {
  let pos = from;
  let column = startColumn;
  for (; pos < end; pos++) {
    if (text[pos] === ' ') column++;
    else if (text[pos] === '\t') column += 4 - (column % 4);
    else break;
  }
  return { pos, column };
};

const enterQuotes = (reader: Reader, quotes: number): void => {
  if (quotes > reader.quotes) closeBlock(reader);
  reader.quotes = quotes;
  reader.columns = [];
};

const passListMarker = (text: string, pos: number, end: number, column: number): { pos: number; column: number } | null => {
  const marker = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/.exec(text.slice(pos, Math.min(end, pos + 12)))?.[0];
  if (marker === undefined) return null;
  const content = passIndent(text, pos + marker.length, end, column + marker.length);
  return content.pos === end ? { pos: end, column: column + marker.length + 1 } : content;
};

const readContent = (reader: Reader, lineStart: number, pos: number, end: number): void => {
  if (pos === end) return;
  const content = reader.text.slice(pos, end);
  const fence = /^(?:(`{3,})[^`]*$|(~{3,}))/.exec(content);
  const marker = fence?.[1] ?? fence?.[2];
  if (marker !== undefined) hide(reader, lineStart, new RegExp(`^${marker}${marker[0]}*[ \\t]*$`), true);
  else if (content.startsWith('<!--') && content.includes('-->', 4)) closeBlock(reader);
  else if (content.startsWith('<!--')) hide(reader, lineStart, /-->/, false);
  else if (verbatim.test(content) && verbatimEnd.test(content)) closeBlock(reader);
  else if (verbatim.test(content)) hide(reader, lineStart, verbatimEnd, false);
  else addText(reader, pos, end, /^#{1,6}(?:[ \t]|$)/.test(content));
};

// CommonMark reads these as they are, up to any of their ends.
const verbatim = /^<(?:pre|script|style|textarea)(?=[\s>]|$)/i;
const verbatimEnd = /<\/(?:pre|script|style|textarea)>/i;

const addText = (reader: Reader, pos: number, end: number, heading: boolean): void => {
  if (heading) closeBlock(reader);
  if (reader.start < 0) reader.start = pos;
  reader.end = end;
  if (heading) closeBlock(reader);
};

const hide = (reader: Reader, start: number, closing: RegExp, isFence: boolean): void => {
  closeBlock(reader);
  reader.hidden = { start, closing, isFence, quotes: reader.quotes, column: reader.columns.at(-1) ?? 0 };
};

/** A test whether an offset lies in one of the ranges, for offsets asked in ascending order. */
export const createRangeTest = (ranges: readonly TextRange[]): ((offset: number) => boolean) => {
  let index = 0;
  return offset => {
    while (index < ranges.length && (ranges[index]?.end ?? 0) <= offset) index++;
    return index < ranges.length && (ranges[index]?.start ?? 0) <= offset;
  };
};
