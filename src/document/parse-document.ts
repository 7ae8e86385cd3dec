import type { FieldIssue } from '#errors';
import { characters } from './characters.ts';
import type { Document, DocumentLayout, EntrySpan, ParsedFile } from './document.ts';
import { type DocumentSplit, findSecondBlock, splitDocument } from './document-split.ts';
import { readFrontmatter } from './frontmatter-block.ts';
import { maximumFrontmatterBytes } from './frontmatter-limits.ts';
import type { Finding } from './scanner.ts';
import { createLineCounter, createPlaceFinder } from './text-position.ts';
import { isWellFormed } from './utf8.ts';
import { emptyMap, type FrontmatterMap } from './value.ts';

const { carriageReturn, lineFeed } = characters;

/**
 * Reads a file (§4.1, §4.5): strict, on null-prototype maps, never skipping a line. Problems come back as issues with
 * line and column, one for each entry that has one; forms outside the subset that can be read without loss are warnings.
 *
 * @example parseDocument('---\ntype: rule\n---\nBody\n')
 */
export const parseDocument = (text: string): ParsedFile => {
  const split = splitDocument(text);
  if (typeof split === 'string') return { kind: 'ordinary', text, reason: split };
  // A copy of the lines: its characters are reached faster than through the whole text, which may be a chain of pieces,
  // and values that are kept do not keep the body in memory.
  const block = [text.slice(split.start, split.end), ''].join('');
  const refused = checkText(text, block, split);
  if (refused !== null) return invalid(text, [refused], emptyMap());
  const { data, entries, indent, lineCount, problems, warnings } = readFrontmatter(block, split.start);
  if (problems.length > 0) return invalid(text, problems, data);
  const layout = { entries, indent, fenceStart: split.end, bodyStart: split.bodyStart };
  // The opening fence is one line, the closing one another when anything can follow it.
  const bodyLine = lineCount + (text.charCodeAt(split.bodyStart - 1) === lineFeed ? 3 : 2);
  return { kind: 'document', document: createParsed(text, data, layout, bodyLine, warnings) };
};

const createParsed = (
  text: string,
  data: FrontmatterMap,
  layout: DocumentLayout,
  bodyLine: number,
  warnings: readonly Finding[],
): Document => {
  const second = findSecondBlock(text, layout.bodyStart);
  const opening = text.indexOf('\n');
  return {
    text,
    data,
    body: text.slice(layout.bodyStart),
    bodyLine,
    lineEnding: text.charCodeAt(opening - 1) === carriageReturn ? '\r\n' : '\n',
    warnings: findingsToIssues(text, second < 0 ? warnings : [...warnings, { message: secondBlockMessage, offset: second, field: 'body' }]),
    layout,
    lineOf: createKeyLines(text, layout.entries),
  };
};

const secondBlockMessage = 'A second frontmatter-like block starts the body: only the first one counts; merge or remove it.';

/** Finds the lines of all keys at the first question; most documents are never asked. */
const createKeyLines = (text: string, entries: readonly EntrySpan[]): ((key: string) => number | undefined) => {
  let lines: Map<string, number> | undefined;
  return key => {
    if (lines === undefined) {
      const lineOf = createLineCounter(text);
      lines = new Map(entries.map(entry => [entry.key, lineOf(entry.start)]));
    }
    return lines.get(key);
  };
};

const invalid = (text: string, problems: readonly Finding[], readable: FrontmatterMap): ParsedFile => ({
  kind: 'invalid',
  text,
  issues: findingsToIssues(text, problems),
  readable,
});

const findingsToIssues = (text: string, findings: readonly Finding[]): readonly FieldIssue[] => {
  if (findings.length === 0) return [];
  const placeOf = createPlaceFinder(text);
  return findings.map(({ field, message, offset }) => ({ field, issue: message, ...placeOf(offset) }));
};

/** What is refused before any line is read (readings: frontmatter grammar, frontmatter block). */
const checkText = (text: string, block: string, { start, bodyStart }: DocumentSplit): Finding | null => {
  if (block.length * 3 > maximumFrontmatterBytes && Buffer.byteLength(block) > maximumFrontmatterBytes) {
    return { message: 'The frontmatter is larger than 1 MiB: move text into the body.', offset: start, field: 'frontmatter' };
  }
  if (isWellFormed(text)) return null;
  const offset = text.search(/\p{Surrogate}/u);
  return { message: 'A lone surrogate, which UTF-8 cannot store.', offset, field: offset < bodyStart ? 'frontmatter' : 'body' };
};
