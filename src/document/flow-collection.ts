import { characters } from './characters.ts';
import { bodyKey, maximumDepth, refuseKey } from './frontmatter-limits.ts';
import { isLenientStart, lenientStartMessage, resolvePlain } from './plain-scalar.ts';
import { readQuoted } from './quoted-scalar.ts';
import {
  fail,
  findContinuation,
  isBlank,
  isBlankOrLineEnd,
  isLineEnd,
  nextLine,
  passBlanks,
  type Scanner,
  trimBlanksEnd,
} from './scanner.ts';
import { emptyMap, type FrontmatterMap, type Value } from './value.ts';

const { space, hash, comma, colon, dash, question, openBracket, closeBracket, openBrace, closeBrace, doubleQuote, singleQuote } =
  characters;

/**
 * Reads the inline list or map that starts at `pos` and leaves `pos` after its closing bracket. It may run over several
 * lines deeper than the enclosing block; only a closing bracket may stand further left.
 */
export const readFlow = (scanner: Scanner, parentIndent: number, depth: number): Value => {
  if (depth > maximumDepth) fail(`Nested deeper than ${maximumDepth} levels.`, scanner.pos);
  return scanner.codes[scanner.pos]! === openBracket
    ? readFlowList(scanner, parentIndent, depth)
    : readFlowMap(scanner, parentIndent, depth);
};

const readFlowList = (scanner: Scanner, parentIndent: number, depth: number): Value => {
  const { text, pos: start } = scanner;
  const items: Value[] = [];
  scanner.pos++;
  for (;;) {
    if (skipSpace(scanner, parentIndent, start) === closeBracket) break;
    items.push(readFlowValue(scanner, parentIndent, depth));
    const code = skipSpace(scanner, parentIndent, start);
    if (code === closeBracket) break;
    if (code === colon) fail('A pair in a list needs its own braces: [{key: value}].', scanner.pos);
    if (code !== comma) fail(`Expected ',' or ']', found '${text[scanner.pos]}': quote a text that holds brackets or quotes.`, scanner.pos);
    scanner.pos++;
  }
  scanner.pos++;
  return items;
};

const readFlowMap = (scanner: Scanner, parentIndent: number, depth: number): FrontmatterMap => {
  const { text, pos: start } = scanner;
  const map = emptyMap();
  const keys: string[] = [];
  const offsets: number[] = [];
  scanner.pos++;
  for (;;) {
    if (skipSpace(scanner, parentIndent, start) === closeBrace) break;
    const offset = scanner.pos;
    const key = readFlowKey(scanner, parentIndent);
    if (map[key] !== undefined || key === bodyKey) refuseKey(text, key, offset, offsets[keys.indexOf(key)]);
    keys.push(key);
    offsets.push(offset);
    if (skipSpace(scanner, parentIndent, start) !== colon) fail("Expected ': ' after the key of an inline map.", scanner.pos);
    scanner.pos++;
    const code = skipSpace(scanner, parentIndent, start);
    map[key] = code === comma || code === closeBrace ? null : readFlowValue(scanner, parentIndent, depth);
    const next = skipSpace(scanner, parentIndent, start);
    if (next === closeBrace) break;
    if (next !== comma) fail(`Expected ',' or '}', found '${text[scanner.pos]}': quote a text that holds braces or quotes.`, scanner.pos);
    scanner.pos++;
  }
  scanner.pos++;
  return map;
};

/** Moves to the next content of a collection opened at `start` and returns its character code. */
const skipSpace = (scanner: Scanner, parentIndent: number, start: number): number => {
  const { text, codes } = scanner;
  let lineStart = -1;
  for (;;) {
    const pos = passBlanks(codes, scanner.pos);
    const code = codes[pos]!;
    const commented = code === hash && (lineStart >= 0 || isBlank(codes[pos - 1]!));
    if (!commented && !isLineEnd(code)) {
      if (lineStart >= 0 && code !== closeBracket && code !== closeBrace) checkIndent(codes, lineStart, parentIndent, start);
      scanner.pos = pos;
      return code;
    }
    if (commented && scanner.commentAt < 0) scanner.commentAt = scanner.pos;
    scanner.pos = nextLine(text, pos);
    lineStart = scanner.pos;
    if (lineStart >= scanner.end) fail(notClosed, start);
  }
};

const notClosed = 'The bracket that opens here is not closed.';

/** Content left of the block's own indentation belongs to the block: then a bracket is missing. */
const checkIndent = (codes: Uint16Array, lineStart: number, parentIndent: number, start: number): void => {
  for (let pos = lineStart; pos <= lineStart + parentIndent; pos++) if (codes[pos] !== space) fail(notClosed, start);
};

const readFlowValue = (scanner: Scanner, parentIndent: number, depth: number): Value => {
  const { codes } = scanner;
  const code = codes[scanner.pos]!;
  if (code === openBracket || code === openBrace) return readFlow(scanner, parentIndent, depth + 1);
  if (code === doubleQuote || code === singleQuote) return readQuoted(scanner, parentIndent);
  return resolvePlain(readFlowPlain(scanner, parentIndent));
};

const readFlowKey = (scanner: Scanner, parentIndent: number): string => {
  const code = scanner.codes[scanner.pos]!;
  if (code === doubleQuote || code === singleQuote) return readQuoted(scanner, parentIndent);
  return readFlowPlain(scanner, parentIndent);
};

const isFlowIndicator = (code: number): boolean =>
  code === comma || code === openBracket || code === closeBracket || code === openBrace || code === closeBrace;

/** An unquoted text inside brackets: it ends at a bracket, a comma, a key's colon or a comment, and may wrap. */
const readFlowPlain = (scanner: Scanner, parentIndent: number): string => {
  const { text, codes, pos: start } = scanner;
  const first = codes[start]!;
  const next = codes[start + 1]!;
  const indicator = first === dash || first === question || first === colon;
  if (isFlowIndicator(first) || (indicator && (isBlankOrLineEnd(next) || isFlowIndicator(next))) || '&*!|>#'.includes(text[start] ?? '')) {
    fail(`An item cannot start with '${text[start]}': quote it.`, start);
  }
  let result = readFlowLine(scanner);
  while (isLineEnd(codes[scanner.pos]!)) {
    const lineEnd = scanner.pos;
    scanner.pos = nextLine(text, lineEnd);
    const continuation = findContinuation(scanner, parentIndent);
    const code = codes[continuation]!;
    if (continuation < 0 || isFlowIndicator(code) || code === hash || code === colon) {
      scanner.pos = lineEnd;
      break;
    }
    scanner.pos = continuation;
    result += (scanner.blankLines > 0 ? '\n'.repeat(scanner.blankLines) : ' ') + readFlowLine(scanner);
  }
  if (isLenientStart(first)) scanner.warnings.push({ message: lenientStartMessage, offset: start, field: scanner.topKey });
  return result;
};

/** Reads unquoted text to where it ends on this line; `pos` stands at what ended it, or at the line's end. */
const readFlowLine = (scanner: Scanner): string => {
  const { text, codes, pos: start } = scanner;
  let pos = start;
  for (; ; pos++) {
    const code = codes[pos]!;
    if (isFlowIndicator(code) || isLineEnd(code)) break;
    if (code === hash && isBlank(codes[pos - 1]!)) break;
    if (code === colon) {
      const next = codes[pos + 1]!;
      if (isBlankOrLineEnd(next) || isFlowIndicator(next)) break;
    }
  }
  const content = trimBlanksEnd(text.slice(start, pos));
  // The white space before a comment is what makes it one.
  scanner.pos = codes[pos]! === hash ? start + content.length : pos;
  return content;
};
