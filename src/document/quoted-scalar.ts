import { characters } from './characters.ts';
import { fail, findContinuation, isBlank, type Scanner, skipBlanks, trimBlanksEnd } from './scanner.ts';
import { isWellFormed } from './utf8.ts';

const { lineFeed, doubleQuote, singleQuote, backslash } = characters;

/** Reads the quoted text that starts at `pos` and leaves `pos` after its closing quote. */
export const readQuoted = (scanner: Scanner, parentIndent: number): string =>
  scanner.codes[scanner.pos]! === doubleQuote ? readDouble(scanner, parentIndent) : readSingle(scanner, parentIndent);

/** The offset of the quote that closes the one at `start` on the same line, or -1. */
export const findClosingQuote = (codes: Uint16Array, start: number): number => {
  const quote = codes[start]!;
  for (let pos = start + 1; ; pos++) {
    const code = codes[pos]!;
    if (code === lineFeed) return -1;
    if (code === backslash && quote === doubleQuote) {
      if (codes[++pos]! === lineFeed) return -1;
    } else if (code === quote) {
      if (quote === doubleQuote || codes[pos + 1]! !== singleQuote) return pos;
      pos++;
    }
  }
};

export const quoteNotClosed = 'The quote that opens here is not closed.';

/** Passes a line break inside quotes; the text goes on only on a deeper line, so a missing quote is noticed at the next key. */
const passBreak = (scanner: Scanner, lineFeedAt: number, parentIndent: number, start: number): number => {
  scanner.pos = lineFeedAt + 1;
  const continuation = findContinuation(scanner, parentIndent);
  return continuation >= 0 ? continuation : fail(quoteNotClosed, start);
};

const readDouble = (scanner: Scanner, parentIndent: number): string => {
  const { text, codes, pos: start } = scanner;
  let escaped = false;
  let wrapped = false;
  let pos = start + 1;
  for (;;) {
    const code = codes[pos]!;
    if (code === doubleQuote) break;
    if (code === lineFeed) {
      wrapped = true;
      pos = passBreak(scanner, pos, parentIndent, start);
    } else if (code === backslash) {
      escaped = true;
      // An escaped line break is passed as a break by the next round.
      pos += codes[pos + 1]! === lineFeed ? 1 : 2;
    } else pos++;
  }
  const raw = text.slice(start + 1, pos);
  scanner.pos = pos + 1;
  if (wrapped) return foldDouble(raw, start);
  if (!escaped) return raw;
  const decoded = decodeEscapes(raw, start);
  if (decoded !== null) return decoded;
  const message = 'A backslash that starts no escape: the text is read as it stands; double the backslash or use single quotes.';
  scanner.warnings.push({ message, offset: start, field: scanner.topKey });
  return raw;
};

const readSingle = (scanner: Scanner, parentIndent: number): string => {
  const { text, codes, pos: start } = scanner;
  let doubled = false;
  let wrapped = false;
  let pos = start + 1;
  for (;;) {
    const code = codes[pos]!;
    if (code === singleQuote) {
      if (codes[pos + 1]! !== singleQuote) break;
      doubled = true;
      pos += 2;
    } else if (code === lineFeed) {
      wrapped = true;
      pos = passBreak(scanner, pos, parentIndent, start);
    } else pos++;
  }
  scanner.pos = pos + 1;
  const raw = text.slice(start + 1, pos);
  const folded = wrapped ? foldSingle(raw) : raw;
  return doubled ? folded.replaceAll("''", "'") : folded;
};

const trimStart = (line: string): string => line.slice(skipBlanks(line, 0));

const foldSingle = (raw: string): string => {
  const lines = raw.split(/\r?\n/);
  let result = trimBlanksEnd(lines[0] ?? '');
  let blank = 0;
  for (let index = 1; index < lines.length; index++) {
    const last = index === lines.length - 1;
    const line = trimStart(lines[index] ?? '');
    const content = last ? line : trimBlanksEnd(line);
    if (content === '' && !last) blank++;
    else {
      result += (blank > 0 ? '\n'.repeat(blank) : ' ') + content;
      blank = 0;
    }
  }
  return result;
};

/** Folds wrapped double-quoted text: a break is a space, blank lines are line feeds, an escaped break is nothing. */
const foldDouble = (raw: string, start: number): string => {
  const lines = raw.split(/\r?\n/);
  let result = '';
  let blank = 0;
  let joined = true;
  for (let index = 0; index < lines.length; index++) {
    const last = index === lines.length - 1;
    let content = index === 0 ? (lines[0] ?? '') : trimStart(lines[index] ?? '');
    const escapedBreak = !last && endsInEscape(content);
    if (escapedBreak) content = content.slice(0, -1);
    else if (!last) content = trimUnescaped(content);
    if (content === '' && index > 0 && !last && !escapedBreak) {
      blank++;
      continue;
    }
    if (index > 0) result += blank > 0 ? '\n'.repeat(blank) : joined ? '' : ' ';
    const decoded = decodeEscapes(content, start);
    if (decoded === null) fail('A backslash that starts no escape: double it, or use single quotes.', start);
    result += decoded ?? '';
    blank = 0;
    joined = escapedBreak;
  }
  return result;
};

/** True when the last backslash of the text escapes what follows it. */
const endsInEscape = (text: string): boolean => {
  let start = text.length;
  while (text.charCodeAt(start - 1) === backslash) start--;
  return (text.length - start) % 2 === 1;
};

const trimUnescaped = (line: string): string => {
  const trimmed = trimBlanksEnd(line);
  return endsInEscape(trimmed) && isBlank(line.charCodeAt(trimmed.length)) ? line.slice(0, trimmed.length + 1) : trimmed;
};

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

/** The text with YAML 1.2 escapes resolved, or null when one is none of them. */
const decodeEscapes = (raw: string, start: number): string | null => {
  let valid = true;
  const decoded = raw.replace(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]?))/g, (_all, x, u, long, single) => {
    const digits: string | undefined = x ?? u ?? long;
    if (digits === undefined) {
      const character = Object.hasOwn(escapes, single as string) ? escapes[single as string] : undefined;
      if (character === undefined) valid = false;
      return character ?? '';
    }
    const code = Number.parseInt(digits, 16);
    if (code > 0x10ffff) valid = false;
    return valid ? String.fromCodePoint(code) : '';
  });
  if (!valid) return null;
  return isWellFormed(decoded) ? decoded : fail('The text holds a lone surrogate.', start);
};
