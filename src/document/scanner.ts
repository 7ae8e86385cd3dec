import { characters } from './characters.ts';
import { toCodes } from './text-codes.ts';

const { tab, lineFeed, carriageReturn, space, hash } = characters;

/** A finding at one offset of the text; becomes a field issue once line and column are needed. */
export interface Finding {
  readonly message: string;
  readonly offset: number;
  readonly field: string;
}

/** The one error of the frontmatter readers: thrown where reading stops, caught once per top-level entry. */
export class SyntaxProblem extends Error {
  readonly finding: Finding;

  constructor(message: string, offset: number, field = 'frontmatter') {
    super(message);
    this.finding = { message, offset, field };
  }
}

export const fail = (message: string, offset: number): never => {
  throw new SyntaxProblem(message, offset);
};

/**
 * Where the readers stand in one frontmatter block. Every line of the block ends in a line feed, and a carriage return
 * stands only before one: the split checked both, so loops over a line need no bound.
 */
export interface Scanner {
  /** The lines between the fences; offsets count in it. */
  readonly text: string;
  /** The same characters as numbers, a line feed after the last: reading them is much faster than asking the text. */
  readonly codes: Uint16Array;
  readonly end: number;
  readonly warnings: Finding[];
  pos: number;
  /** True while `pos` stands at the content found by `advance`, before anything consumed it. */
  ready: boolean;
  /** Column of that content, or -1 when none is left. */
  indent: number;
  /** Offset after the last line that belonged to a value; comments and blank lines that follow belong to the gap. */
  lastEnd: number;
  /** Where the white space before the first trailing comment of the entry starts, or -1. */
  commentAt: number;
  /** Blank lines passed by the last `findContinuation`. */
  blankLines: number;
  /** The top-level key being read; warnings carry it as their field. */
  topKey: string;
}

export const createScanner = (text: string): Scanner => ({
  text,
  codes: toCodes(text),
  end: text.length,
  warnings: [],
  pos: 0,
  ready: false,
  indent: -1,
  lastEnd: 0,
  commentAt: -1,
  blankLines: 0,
  topKey: 'frontmatter',
});

export const isBlank = (code: number): boolean => code === space || code === tab;
export const isLineEnd = (code: number): boolean => code === lineFeed || code === carriageReturn;
export const isBlankOrLineEnd = (code: number): boolean => code === space || code === lineFeed || code === carriageReturn || code === tab;

export const skipBlanks = (text: string, from: number): number => {
  let pos = from;
  while (isBlank(text.charCodeAt(pos))) pos++;
  return pos;
};

/** As `skipBlanks`, in a scanner's codes. */
export const passBlanks = (codes: Uint16Array, from: number): number => {
  let pos = from;
  while (isBlank(codes[pos]!)) pos++;
  return pos;
};

/** The text without trailing spaces and tabs. A loop, because a pattern would be slow on a long run of spaces. */
export const trimBlanksEnd = (text: string): string => {
  let end = text.length;
  while (isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
};

export const nextLine = (text: string, from: number): number => text.indexOf('\n', from) + 1;

const tabMessage = 'A tab in the indentation: indent with spaces.';

/** Moves over blank lines and comment lines to the next content and measures its column; false when none is left. */
export const advance = (scanner: Scanner): boolean => {
  if (scanner.ready) return scanner.indent >= 0;
  const { text, codes, end } = scanner;
  let pos = scanner.pos;
  while (pos < end) {
    const lineStart = pos;
    while (codes[pos] === space) pos++;
    let code = codes[pos]!;
    if (code === tab) {
      const content = passBlanks(codes, pos);
      code = codes[content]!;
      if (!isLineEnd(code)) fail(tabMessage, pos);
    }
    if (code === lineFeed || code === carriageReturn || code === hash) {
      pos = nextLine(text, pos);
      continue;
    }
    scanner.pos = pos;
    scanner.indent = pos - lineStart;
    scanner.ready = true;
    return true;
  }
  scanner.pos = end;
  scanner.indent = -1;
  scanner.ready = true;
  return false;
};

/** Ends a value's line: white space and a comment may follow `pos`, anything else is refused with `message`. */
export const finishLine = (scanner: Scanner, pos: number, message: string): void => {
  const { text, codes } = scanner;
  let rest = pos;
  let code = codes[rest]!;
  if (code === space || code === tab) {
    rest = passBlanks(codes, rest);
    code = codes[rest]!;
  }
  if (code === hash && isBlank(codes[rest - 1]!)) {
    if (scanner.commentAt < 0) scanner.commentAt = pos;
    rest = text.indexOf('\n', rest);
  } else if (code === carriageReturn) rest++;
  else if (code !== lineFeed) fail(message, rest);
  scanner.pos = rest + 1;
  scanner.lastEnd = scanner.pos;
  scanner.ready = false;
};

/**
 * The offset of the next content when its line is deeper than the enclosing block, or -1. Blank lines before it are
 * counted in `blankLines`.
 */
export const findContinuation = (scanner: Scanner, parentIndent: number): number => {
  const { text, codes, end } = scanner;
  let pos = scanner.pos;
  scanner.blankLines = 0;
  while (pos < end) {
    const lineStart = pos;
    while (codes[pos] === space) pos++;
    const indent = pos - lineStart;
    pos = passBlanks(codes, pos);
    if (!isLineEnd(codes[pos]!)) return indent > parentIndent ? pos : -1;
    scanner.blankLines++;
    pos = nextLine(text, pos);
  }
  return -1;
};

/** Refuses a tab where a block scalar's or list's indentation is measured. */
export const failOnTab = (offset: number): never => fail(tabMessage, offset);
