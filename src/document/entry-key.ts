import { characters } from './characters.ts';
import { findClosingQuote, quoteNotClosed, readQuoted } from './quoted-scalar.ts';
import { fail, isBlank, isBlankOrLineEnd, isLineEnd, passBlanks, type Scanner, trimBlanksEnd } from './scanner.ts';
import { shareKey } from './shared-keys.ts';

const { hash, colon, doubleQuote, singleQuote, openBracket, openBrace, pipe, greaterThan } = characters;

/** Reads the key at `pos` and leaves `pos` after its colon. */
export const readKey = (scanner: Scanner, indent: number): string => {
  const { text, codes, pos: start } = scanner;
  let code = codes[start]!;
  if (code === doubleQuote || code === singleQuote) return readQuotedKey(scanner, indent);
  if (!isLetterOrDigit(code)) checkKeyStart(scanner, indent);
  let pos = start;
  while (code > hash && code !== colon) code = codes[++pos]!;
  if (code === colon && isBlankOrLineEnd(codes[pos + 1]!)) {
    scanner.pos = pos + 1;
    return shareKey(text, codes, start, pos);
  }
  // A key with spaces, colons or hashes in it, or no key at all.
  const colonAt = findColon(codes, start);
  if (colonAt < 0) failOnEntry(start);
  scanner.pos = colonAt + 1;
  return trimBlanksEnd(text.slice(start, colonAt));
};

const readQuotedKey = (scanner: Scanner, indent: number): string => {
  const { codes, pos: start } = scanner;
  const colonAt = findColon(codes, start);
  if (colonAt < 0) return findClosingQuote(codes, start) < 0 ? fail(quoteNotClosed, start) : failOnEntry(start);
  const key = readQuoted(scanner, indent);
  scanner.pos = colonAt + 1;
  return key;
};

const checkKeyStart = ({ text, codes, pos: start }: Scanner, indent: number): void => {
  const first = text[start] ?? '';
  if ('-:?'.includes(first) && isBlankOrLineEnd(codes[start + 1]!)) {
    fail(first === '-' ? 'A list item where a key is expected.' : `A key cannot start with '${first} '.`, start);
  }
  if (',[]{}#&*!|>%'.includes(first)) fail(`A key cannot start with '${first}': quote it.`, start);
  if (indent === 0 && /^(?:---|\.\.\.)[ \t]/.test(text.slice(start, start + 4))) {
    fail('Only one YAML document may stand between the fences.', start);
  }
};

const failOnEntry = (offset: number): never =>
  fail("Expected 'key: value': a key ends in a colon followed by a space or the line's end.", offset);

/** Whether the content at `pos` is `key: …` rather than a value of its own. */
export const isEntry = ({ codes, pos }: Scanner): boolean => {
  const code = codes[pos]!;
  if (code === openBracket || code === openBrace || code === pipe || code === greaterThan) return false;
  return findColon(codes, pos) >= 0;
};

/** The offset of the colon that ends the key at `start`, or -1 when the line is no entry. */
const findColon = (codes: Uint16Array, start: number): number => {
  let pos = start;
  let code = codes[pos]!;
  if (code === doubleQuote || code === singleQuote) {
    const closing = findClosingQuote(codes, start);
    if (closing < 0) return -1;
    pos = passBlanks(codes, closing + 1);
    return codes[pos]! === colon && isBlankOrLineEnd(codes[pos + 1]!) ? pos : -1;
  }
  for (;;) {
    while (code > hash && code !== colon) code = codes[++pos]!;
    if (code === colon && isBlankOrLineEnd(codes[pos + 1]!)) return pos;
    if (isLineEnd(code) || (code === hash && isBlank(codes[pos - 1]!))) return -1;
    code = codes[++pos]!;
  }
};

/** First characters that need no look at YAML's indicators. */
export const isLetterOrDigit = (code: number): boolean =>
  (code > 0x60 && code < 0x7b) || (code > 0x40 && code < 0x5b) || (code > 0x2f && code < 0x3a);
