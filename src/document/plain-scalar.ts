import { characters } from './characters.ts';
import { fail, findContinuation, finishLine, isBlank, isBlankOrLineEnd, isLineEnd, type Scanner } from './scanner.ts';
import type { Value } from './value.ts';

const { hash, colon, tilde, dash, dot, zero, nine, at, percent, backtick } = characters;

const integer = /^-?(?:0|[1-9]\d*)$/;
const decimal = /^-?\d*\.\d+$/;

/** What an unquoted text stands for (readings: frontmatter grammar). Lower case only; what a number would lose stays a string. */
export const resolvePlain = (text: string): Value => {
  const code = text.charCodeAt(0);
  if (code <= nine) {
    if (code !== dash && code !== dot && code < zero) return text;
    const last = text.charCodeAt(text.length - 1);
    // Every number ends in a digit; most timestamps do not.
    if (last > nine || last < zero) return text;
    if (!integer.test(text) && !decimal.test(text)) return text;
    const number = Number(text);
    // Adding zero turns -0 into 0.
    return Number.isFinite(number) && (Number.isSafeInteger(number) || text.includes('.')) ? number + 0 : text;
  }
  if (code === tilde) return text.length === 1 ? null : text;
  if (text === 'true') return true;
  if (text === 'false') return false;
  return text === 'null' ? null : text;
};

/** True for the first characters that YAML reserves and we read as text (readings: frontmatter grammar). */
export const isLenientStart = (code: number): boolean => code === at || code === percent || code === backtick;

export const lenientStartMessage = 'An unquoted text that starts with a reserved character is read as text; quote it for other tools.';

/** Reads an unquoted value that starts at `pos` and may wrap onto deeper lines. */
export const readPlain = (scanner: Scanner, parentIndent: number): Value => {
  const { text, codes, pos: start } = scanner;
  const line = scanPlainLine(codes, start);
  finishLine(scanner, line.end, 'Unexpected text after the value.');
  const first = text.slice(start, line.end);
  const lenient = isLenientStart(codes[start]!);
  if (!line.commented && isLineWrapped(scanner)) {
    const continuation = findWrap(scanner, parentIndent);
    if (continuation >= 0) {
      if (line.colonAt >= 0) fail("A text with ': ' cannot wrap onto the next line: quote it.", line.colonAt);
      if (lenient) fail('A text that starts with a reserved character cannot wrap onto the next line: quote it.', start);
      return readContinuations(scanner, parentIndent, first, continuation);
    }
  }
  if (lenient) scanner.warnings.push({ message: lenientStartMessage, offset: start, field: scanner.topKey });
  if (line.colonAt < 0) return resolvePlain(first);
  const message = "An unquoted text with ': ' is read as text; quote it for other tools.";
  scanner.warnings.push({ message, offset: line.colonAt, field: scanner.topKey });
  return first;
};

/** Most values end where the next line starts with a key; only white space there can mean a continuation. */
const isLineWrapped = (scanner: Scanner): boolean => isBlankOrLineEnd(scanner.codes[scanner.pos]!);

/** As `findContinuation`; a comment line ends an unquoted text. */
const findWrap = (scanner: Scanner, parentIndent: number): number => {
  const continuation = findContinuation(scanner, parentIndent);
  return scanner.codes[continuation]! === hash ? -1 : continuation;
};

interface PlainLine {
  /** Offset after the text, white space trimmed. */
  readonly end: number;
  readonly commented: boolean;
  /** Offset of the first ':' before white space or the line's end, or -1. */
  readonly colonAt: number;
}

const scanPlainLine = (codes: Uint16Array, start: number): PlainLine => {
  let pos = start;
  let colonAt = -1;
  let code = codes[pos]!;
  for (;;) {
    while (code > hash && code !== colon) code = codes[++pos]!;
    if (isLineEnd(code) || (code === hash && isBlank(codes[pos - 1]!))) break;
    if (code === colon && colonAt < 0 && isBlankOrLineEnd(codes[pos + 1]!)) colonAt = pos;
    code = codes[++pos]!;
  }
  let end = pos;
  while (isBlank(codes[end - 1]!)) end--;
  return { end, commented: code === hash, colonAt };
};

const readContinuations = (scanner: Scanner, parentIndent: number, first: string, from: number): string => {
  const { text, codes } = scanner;
  let result = first;
  let start = from;
  while (start >= 0) {
    const line = scanPlainLine(codes, start);
    if (line.colonAt >= 0)
      fail('A key cannot follow a value on the line above: indent it like its siblings, or quote the text.', line.colonAt);
    result += scanner.blankLines > 0 ? '\n'.repeat(scanner.blankLines) : ' ';
    result += text.slice(start, line.end);
    finishLine(scanner, line.end, 'Unexpected text after the value.');
    start = line.commented ? -1 : findWrap(scanner, parentIndent);
  }
  return result;
};
