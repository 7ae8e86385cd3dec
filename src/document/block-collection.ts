import { readBlockScalar } from './block-scalar.ts';
import { characters } from './characters.ts';
import { isEntry, isLetterOrDigit, readKey } from './entry-key.ts';
import { readFlow } from './flow-collection.ts';
import { bodyKey, maximumDepth, refuseKey } from './frontmatter-limits.ts';
import { readPlain } from './plain-scalar.ts';
import { readQuoted } from './quoted-scalar.ts';
import { advance, fail, failOnTab, finishLine, isBlankOrLineEnd, isLineEnd, type Scanner } from './scanner.ts';
import { emptyMap, type FrontmatterMap, type Value } from './value.ts';

const { tab, space, hash, dash, doubleQuote, singleQuote, openBracket, openBrace, pipe, greaterThan } = characters;

const checkDepth = (scanner: Scanner, depth: number): void => {
  if (depth > maximumDepth) fail(`Nested deeper than ${maximumDepth} levels.`, scanner.pos);
};

/** Reads a map whose first key stands at `pos`, in column `indent`, and leaves the scanner at the content after it. */
const readMap = (scanner: Scanner, indent: number, depth: number): FrontmatterMap => {
  checkDepth(scanner, depth);
  const map = emptyMap();
  const keys: string[] = [];
  const offsets: number[] = [];
  do {
    if (scanner.indent > indent && keys.length > 0) failOnIndent(scanner);
    const offset = scanner.pos;
    const key = readKey(scanner, indent);
    // Values are never undefined, so this is the own-property test of a map without a prototype.
    if (map[key] !== undefined || key === bodyKey) refuseKey(scanner.text, key, offset, offsets[keys.indexOf(key)]);
    keys.push(key);
    offsets.push(offset);
    map[key] = readEntryValue(scanner, indent, depth);
  } while (advance(scanner) && scanner.indent >= indent);
  return map;
};

/** Refuses content that is deeper than its siblings but continues nothing. */
export const failOnIndent = (scanner: Scanner): never => fail('Unexpected indentation: this line continues nothing above it.', scanner.pos);

/** Reads what follows a key's colon: a value on the line, or a block nested under it, or nothing, which is null. */
export const readEntryValue = (scanner: Scanner, indent: number, depth: number): Value => {
  const { codes } = scanner;
  let pos = scanner.pos;
  let code = codes[pos]!;
  while (code === space || code === tab) code = codes[++pos]!;
  if (code !== hash && !isLineEnd(code)) {
    scanner.pos = pos;
    return readInlineValue(scanner, indent, depth);
  }
  finishLine(scanner, scanner.pos, '');
  return readNested(scanner, indent, depth, true);
};

const readNested = (scanner: Scanner, parentIndent: number, depth: number, underKey: boolean): Value => {
  if (!advance(scanner)) return null;
  const { indent } = scanner;
  if (indent > parentIndent) {
    if (isDash(scanner)) return readList(scanner, indent, depth + 1);
    return isEntry(scanner) ? readMap(scanner, indent, depth + 1) : readInlineValue(scanner, parentIndent, depth);
  }
  return underKey && indent === parentIndent && isDash(scanner) ? readList(scanner, indent, depth + 1) : null;
};

const isDash = ({ codes, pos }: Scanner): boolean => codes[pos]! === dash && isBlankOrLineEnd(codes[pos + 1]!);

const readList = (scanner: Scanner, indent: number, depth: number): Value => {
  checkDepth(scanner, depth);
  const items: Value[] = [];
  do {
    if (scanner.indent > indent && items.length > 0) failOnIndent(scanner);
    items.push(readItem(scanner, indent, depth));
  } while (advance(scanner) && scanner.indent >= indent && (scanner.indent > indent || isDash(scanner)));
  return items;
};

const readItem = (scanner: Scanner, indent: number, depth: number): Value => {
  const { codes, pos: dashAt } = scanner;
  let pos = dashAt + 1;
  while (codes[pos] === space) pos++;
  const code = codes[pos]!;
  if (code === tab) failOnTab(pos);
  if (isLineEnd(code) || code === hash) {
    finishLine(scanner, dashAt + 1, '');
    return readNested(scanner, indent, depth, false);
  }
  // The item starts in the middle of a line: its column is what its further lines align with.
  scanner.pos = pos;
  scanner.indent = indent + (pos - dashAt);
  if (isDash(scanner)) return readList(scanner, scanner.indent, depth + 1);
  return isEntry(scanner) ? readMap(scanner, scanner.indent, depth + 1) : readInlineValue(scanner, indent, depth);
};

/** Reads a value that starts at `pos`; further lines of it are deeper than `parentIndent`. */
const readInlineValue = (scanner: Scanner, parentIndent: number, depth: number): Value => {
  const { codes, pos } = scanner;
  const code = codes[pos]!;
  switch (code) {
    case doubleQuote:
    case singleQuote: {
      const value = readQuoted(scanner, parentIndent);
      finishLine(scanner, scanner.pos, 'Unexpected text after the closing quote.');
      return value;
    }
    case openBracket:
    case openBrace: {
      const value = readFlow(scanner, parentIndent, depth + 1);
      finishLine(scanner, scanner.pos, 'Unexpected text after the closing bracket: quote the whole value.');
      return value;
    }
    case pipe:
    case greaterThan:
      return readBlockScalar(scanner, parentIndent);
    default:
      checkPlainStart(scanner, code);
      return readPlain(scanner, parentIndent);
  }
};

const forbiddenStarts: Readonly<Record<string, string>> = {
  '&': 'Anchors (&) are not part of the frontmatter subset: quote the text, or repeat the value.',
  '*': 'Aliases (*) are not part of the frontmatter subset: quote the text, or repeat the value.',
  '!': 'Tags (!) are not part of the frontmatter subset: quote the text, or leave the tag out.',
  ',': "A text cannot start with ',': quote it.",
  ']': "A text cannot start with ']': quote it.",
  '}': "A text cannot start with '}': quote it.",
};

const checkPlainStart = ({ text, codes, pos }: Scanner, code: number): void => {
  if (isLetterOrDigit(code)) return;
  const start = text[pos] ?? '';
  const message = forbiddenStarts[start];
  if (message !== undefined) fail(message, pos);
  if ((start === '-' || start === '?' || start === ':') && isBlankOrLineEnd(codes[pos + 1]!)) {
    fail(`A value on the key's line cannot start with '${start} ': move it to the next line, or quote it.`, pos);
  }
};
