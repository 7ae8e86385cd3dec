import { characters } from './characters.ts';
import { isBlank, skipBlanks } from './scanner.ts';

const { lineFeed, carriageReturn, byteOrderMark } = characters;

/** Offsets of the two regions of a file (readings: frontmatter block). */
export interface DocumentSplit {
  /** Where the frontmatter's first line starts. */
  readonly start: number;
  /** Where the closing fence starts. */
  readonly end: number;
  /** Where the body starts: after the closing fence's line end. */
  readonly bodyStart: number;
}

/** Finds the fences; the reason when the file has no frontmatter block and is therefore ordinary Markdown (§4.1). */
export const splitDocument = (text: string): DocumentSplit | string => {
  const first = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
  const start = fenceEnd(text, first);
  if (start < 0) return reasonWithoutFence(text.slice(first, first + 4096));
  for (let feed = text.indexOf('\n---', start - 1); feed >= 0; feed = text.indexOf('\n---', feed + 1)) {
    const bodyStart = fenceEnd(text, feed + 1);
    if (bodyStart >= 0) return { start, end: feed + 1, bodyStart };
  }
  return noClosingFence;
};

const noClosingFence = "The frontmatter has no closing '---' line.";

/** The offset after the fence line that starts here, or -1 when the line is no fence. */
const fenceEnd = (text: string, from: number): number => {
  if (!text.startsWith('---', from)) return -1;
  const pos = skipBlanks(text, from + 3);
  const code = text.charCodeAt(pos);
  if (code === lineFeed) return pos + 1;
  if (code === carriageReturn && text.charCodeAt(pos + 1) === lineFeed) return pos + 2;
  return pos === text.length ? pos : -1;
};

const reasonWithoutFence = (start: string): string => {
  if (start.startsWith('---')) return "The first line is not exactly '---', so no frontmatter starts there.";
  if (/^\s*(?:```|~~~)[^\n]*\r?\n---/.test(start)) return 'The frontmatter stands inside a code fence: remove the fence.';
  if (/^\s*\n?---[ \t]*\r?\n/.test(start)) return "The frontmatter's '---' must be the very first line: remove what stands before it.";
  return "The file does not start with a '---' line, so it has no frontmatter.";
};

/** The offset of a second frontmatter-like block at the start of a body, or -1: a sign of a tool that added its own. */
export const findSecondBlock = (text: string, bodyStart: number): number => {
  let pos = bodyStart;
  while (
    pos < text.length &&
    (isBlank(text.charCodeAt(pos)) || text.charCodeAt(pos) === lineFeed || text.charCodeAt(pos) === carriageReturn)
  )
    pos++;
  if (!text.startsWith('---', pos)) return -1;
  const second = splitDocument(text.slice(pos));
  return typeof second !== 'string' && /^["'\w@-][^\n]*:/.test(text.slice(pos + second.start, pos + second.end)) ? pos : -1;
};
