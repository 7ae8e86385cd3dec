import { createRangeTest, readMarkdownBlocks } from './markdown-blocks.ts';
import { trimBlanksEnd } from './scanner.ts';
import { createLineCounter } from './text-position.ts';

/**
 * One record of an append-type body (§5.3, §5.4): `### turn 1 — user — 2026-05-16T14:00:00Z`, or
 * `### step 1 — gather — 2026-05-16T08:00:01Z — ok`, and the text under it.
 */
export interface AppendRecord {
  /** The word before the number: `turn`, `step`. */
  readonly kind: string;
  readonly number: number;
  /** Who spoke, or which step ran. */
  readonly name: string;
  readonly timestamp: string;
  /** How a step ended; null where the heading says nothing. */
  readonly status: string | null;
  /** The record's text without the blank lines around it. */
  readonly text: string;
  /** 1-based line of the heading within the body. */
  readonly line: number;
  /** The record in the body: from its heading to the next one. */
  readonly start: number;
  readonly end: number;
}

/**
 * The records of a body, in order; text before the first one belongs to none. A heading inside a fenced block is text,
 * unless the fence is never closed: a reply that was cut off must not swallow the records after it.
 */
export const parseRecords = (body: string): readonly AppendRecord[] => {
  const isInCode = createRangeTest(readMarkdownBlocks(body, 0).fences.filter(fence => fence.closed));
  const headings = [...body.matchAll(heading)].filter(({ index }) => !isInCode(index));
  const lineOf = createLineCounter(body);
  return headings.map((match, index) => {
    const { index: start } = match;
    const end = headings[index + 1]?.index ?? body.length;
    const [whole, kind = '', number = '', name = '', timestamp = '', status = null] = match;
    const text = trimBlankLines(body.slice(start + whole.length, end));
    return {
      kind,
      number: Number(number),
      name,
      timestamp,
      status: status === null ? null : trimStatus(status),
      text,
      line: lineOf(start),
      start,
      end,
    };
  });
};

// Not `^` and `$`, which also see line ends where Markdown has none. What follows the time is taken whole and trimmed later: a pattern that
// looks for its end is slow on a long run of spaces.
const heading = /(?<![^\n])### ([a-z][a-z_-]*) (\d{1,15}) — (.+?) — (\d{4}-\d{2}-\d{2}T[^\s—]+)(?: — ([^\n]*)|[ \t]*\r?(?=\n|$))/g;

const trimStatus = (status: string): string => trimBlanksEnd(status.replace(/\r$/, ''));

const trimBlankLines = (text: string): string => {
  const content = text.replace(/^(?:[ \t]*\r?\n)+/, '');
  return content.slice(0, content.trimEnd().length);
};
