import { failOnIndent, readEntryValue } from './block-collection.ts';
import { characters } from './characters.ts';
import type { EntrySpan } from './document.ts';
import { readKey } from './entry-key.ts';
import { bodyKey, refuseKey } from './frontmatter-limits.ts';
import { advance, createScanner, type Finding, isLineEnd, nextLine, passBlanks, type Scanner, SyntaxProblem } from './scanner.ts';
import type { FrontmatterMap, Value } from './value.ts';

const { tab, lineFeed, carriageReturn, space, hash, dash, closeBracket, closeBrace } = characters;

// More problems than anyone mends in one go.
const maximumProblems = 20;

/** What a frontmatter block says; the offsets count in the file. */
export interface FrontmatterBlock {
  readonly data: FrontmatterMap;
  readonly entries: readonly EntrySpan[];
  /** Column of the top-level keys. */
  readonly indent: number;
  readonly lineCount: number;
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
}

interface Reading {
  readonly scanner: Scanner;
  /** Where the block starts in the file. */
  readonly base: number;
  readonly data: Record<string, Value>;
  readonly entries: EntrySpan[];
  readonly problems: Finding[];
  indent: number;
}

/**
 * Reads the lines between the fences; `base` is where they start in the file. A problem ends only its own entry, so that
 * every one is reported and the rest stays readable.
 */
export const readFrontmatter = (block: string, base: number): FrontmatterBlock => {
  const scanner = createScanner(block);
  const reading: Reading = { scanner, base, data: shapedMap(), entries: [], problems: [], indent: 0 };
  const lineCount = countLines(scanner, reading.problems);
  const unreadable: string[] = [];
  if (reading.problems.length > 0) scanner.pos = scanner.end;
  while (reading.problems.length < maximumProblems) {
    const from = scanner.pos;
    scanner.topKey = 'frontmatter';
    try {
      if (!advance(scanner)) break;
      if (reading.entries.length === 0 && reading.problems.length === 0) reading.indent = scanner.indent;
      readEntry(reading);
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) throw error;
      reading.problems.push(error.finding);
      unreadable.push(scanner.topKey);
      skipEntry(scanner, Math.max(from, error.finding.offset), reading.indent);
    }
  }
  for (const key of unreadable) delete reading.data[key];
  const { data, entries, indent, problems } = reading;
  return { data, entries, indent, lineCount, problems: moved(problems, base), warnings: moved(scanner.warnings, base) };
};

// As `emptyMap`. Documents of one type have the same keys in the same order, and an object that began as `{}` shares its
// shape with the one before it, which is filled and read faster than the hash table of `Object.create(null)`.
const shapedMap = (): Record<string, Value> => Object.setPrototypeOf({}, null) as Record<string, Value>;

/** Counts the lines and looks for the control characters that no later step may meet (readings: frontmatter grammar). */
const countLines = ({ codes, end }: Scanner, problems: Finding[]): number => {
  let count = 0;
  for (let offset = 0; offset < end; offset++) {
    const code = codes[offset]!;
    if (code >= space) continue;
    if (code === lineFeed) count++;
    else if (code !== tab && !(code === carriageReturn && codes[offset + 1] === lineFeed)) {
      const name = code.toString(16).toUpperCase().padStart(4, '0');
      const message = `A control character (U+${name}): write it as an escape in double quotes, or remove it.`;
      problems.push({ message, offset, field: 'frontmatter' });
      return count;
    }
  }
  return count;
};

const moved = (findings: readonly Finding[], base: number): readonly Finding[] =>
  findings.map(finding => ({ ...finding, offset: finding.offset + base }));

const readEntry = ({ scanner, base, data, entries, indent }: Reading): void => {
  if (scanner.indent !== indent) failOnIndent(scanner);
  const offset = scanner.pos;
  const key = readKey(scanner, indent);
  scanner.topKey = key;
  // Values are never undefined, so this is the own-property test of a map without a prototype.
  if (data[key] !== undefined || key === bodyKey) {
    const first = entries.find(entry => entry.key === key);
    refuseKey(scanner.text, key, offset, first && first.start - base);
  }
  scanner.commentAt = -1;
  const value = readEntryValue(scanner, indent, 1);
  data[key] = value;
  const { commentAt } = scanner;
  entries.push({
    key,
    value,
    start: base + offset - indent,
    end: base + scanner.lastEnd,
    commentAt: commentAt < 0 ? -1 : base + commentAt,
  });
};

/** Moves past the lines of an entry that could not be read, to the next line that can start one. */
const skipEntry = (scanner: Scanner, from: number, indent: number): void => {
  const { text, codes, end } = scanner;
  let pos = nextLine(text, from);
  while (pos < end) {
    let content = pos;
    while (codes[content] === space) content++;
    const code = codes[content]!;
    // A comment, too, starts no entry: what is deeper after it belongs to the entry that is skipped.
    const empty = code === hash || isLineEnd(codes[passBlanks(codes, content)]!);
    if (!empty && content - pos <= indent && code !== dash && code !== closeBracket && code !== closeBrace) break;
    pos = nextLine(text, content);
  }
  scanner.pos = Math.min(pos, end);
  scanner.ready = false;
};
