import type { FieldIssue } from '#errors';
import { failOnIndent, readEntryValue } from './block-collection.ts';
import { characters } from './characters.ts';
import type { Document, EntrySpan, ParsedFile } from './document.ts';
import { type DocumentSplit, findSecondBlock, splitDocument } from './document-split.ts';
import { readKey } from './entry-key.ts';
import { bodyKey, maximumFrontmatterBytes, refuseKey } from './frontmatter-limits.ts';
import { advance, createScanner, type Finding, isLineEnd, nextLine, type Scanner, SyntaxProblem, skipBlanks } from './scanner.ts';
import { lineAt, positionAt } from './text-position.ts';
import { isWellFormed } from './utf8.ts';
import { emptyMap, type FrontmatterMap, type Value } from './value.ts';

const { space, dash, closeBracket, closeBrace, carriageReturn } = characters;

// More problems than anyone mends in one go.
const maximumProblems = 20;

/**
 * Reads a file (§4.1, §4.5): strict, on null-prototype maps, never skipping a line. Problems come back as issues with
 * line and column, one for each entry that has one; forms outside the subset that can be read without loss are warnings.
 *
 * @example parseDocument('---\ntype: rule\n---\nBody\n')
 */
export const parseDocument = (text: string): ParsedFile => {
  const split = splitDocument(text);
  if (typeof split === 'string') return { kind: 'ordinary', text, reason: split };
  const refused = checkText(text, split);
  if (refused !== null) return invalid(text, [refused], emptyMap());
  const scanner = createScanner(text, split.start, split.end);
  const { data, entries, indent, problems } = readFrontmatter(scanner);
  if (problems.length > 0) return invalid(text, problems, data);
  const layout = { entries, indent, fenceStart: split.end, bodyStart: split.bodyStart };
  return { kind: 'document', document: createParsed(text, data, layout, scanner.warnings) };
};

const createParsed = (text: string, data: FrontmatterMap, layout: Document['layout'], warnings: Finding[]): Document => {
  const second = findSecondBlock(text, layout.bodyStart);
  if (second >= 0) {
    const message = 'A second frontmatter-like block starts the body: only the first one counts; merge or remove it.';
    warnings.push({ message, offset: second, field: 'body' });
  }
  const opening = text.indexOf('\n');
  return {
    text,
    data,
    body: text.slice(layout.bodyStart),
    bodyLine: lineAt(text, layout.bodyStart),
    lineEnding: text.charCodeAt(opening - 1) === carriageReturn ? '\r\n' : '\n',
    warnings: warnings.map(warning => findingToIssue(text, warning)),
    layout,
    lineOf(key) {
      const entry = layout.entries.find(candidate => candidate.key === key);
      return entry && lineAt(text, entry.start);
    },
  };
};

const invalid = (text: string, problems: readonly Finding[], readable: FrontmatterMap): ParsedFile => ({
  kind: 'invalid',
  text,
  issues: problems.map(problem => findingToIssue(text, problem)),
  readable,
});

const findingToIssue = (text: string, { field, message, offset }: Finding): FieldIssue => ({
  field,
  issue: message,
  ...positionAt(text, offset),
});

/** What is refused before any line is read (FT2, FD1). */
const checkText = (text: string, { start, end, bodyStart }: DocumentSplit): Finding | null => {
  const block = text.slice(start, end);
  if (block.length * 3 > maximumFrontmatterBytes && Buffer.byteLength(block) > maximumFrontmatterBytes) {
    return { message: 'The frontmatter is larger than 1 MiB: move text into the body.', offset: start, field: 'frontmatter' };
  }
  const control = /[\0-\x08\x0b\x0c\x0e-\x1f]|\r(?!\n)/.exec(block);
  if (control !== null) {
    const code = block.charCodeAt(control.index).toString(16).toUpperCase().padStart(4, '0');
    return {
      message: `A control character (U+${code}): write it as an escape in double quotes.`,
      offset: start + control.index,
      field: 'frontmatter',
    };
  }
  if (isWellFormed(text)) return null;
  const offset = text.search(/\p{Surrogate}/u);
  return { message: 'A lone surrogate, which UTF-8 cannot store.', offset, field: offset < bodyStart ? 'frontmatter' : 'body' };
};

interface Frontmatter {
  readonly data: Record<string, Value>;
  readonly entries: EntrySpan[];
  readonly problems: Finding[];
  /** Column of the top-level keys. */
  indent: number;
}

/** Reads the top-level map. A problem ends only its own entry, so that every one is reported and the rest stays readable. */
const readFrontmatter = (scanner: Scanner): Frontmatter => {
  const block: Frontmatter = { data: emptyMap(), entries: [], problems: [], indent: 0 };
  const unreadable: string[] = [];
  while (block.problems.length < maximumProblems) {
    const from = scanner.pos;
    scanner.topKey = 'frontmatter';
    try {
      if (!advance(scanner)) break;
      if (block.entries.length === 0 && block.problems.length === 0) block.indent = scanner.indent;
      readEntry(scanner, block);
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) throw error;
      block.problems.push(error.finding);
      unreadable.push(scanner.topKey);
      skipEntry(scanner, Math.max(from, error.finding.offset), block.indent);
    }
  }
  for (const key of unreadable) delete block.data[key];
  return block;
};

const readEntry = (scanner: Scanner, { data, entries, indent }: Frontmatter): void => {
  if (scanner.indent !== indent) failOnIndent(scanner);
  const offset = scanner.pos;
  const key = readKey(scanner, indent);
  scanner.topKey = key;
  if (data[key] !== undefined || key === bodyKey) refuseKey(scanner.text, key, offset, entries.find(entry => entry.key === key)?.start);
  scanner.commentAt = -1;
  data[key] = readEntryValue(scanner, indent, 1);
  entries.push({ key, start: offset - indent, end: scanner.lastEnd, commentAt: scanner.commentAt });
};

/** Moves past the lines of an entry that could not be read, to the next line that can start one. */
const skipEntry = (scanner: Scanner, from: number, indent: number): void => {
  const { text, end } = scanner;
  let pos = nextLine(text, from);
  while (pos < end) {
    let content = pos;
    while (text.charCodeAt(content) === space) content++;
    const code = text.charCodeAt(content);
    const blank = isLineEnd(text.charCodeAt(skipBlanks(text, content)));
    if (!blank && content - pos <= indent && code !== dash && code !== closeBracket && code !== closeBrace) break;
    pos = nextLine(text, content);
  }
  scanner.pos = Math.min(pos, end);
  scanner.ready = false;
};
