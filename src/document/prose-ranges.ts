import { splitDocument } from './document-split.ts';
import { readLinks } from './extract-links.ts';
import { htmlRanges } from './html-ranges.ts';
import type { LinkPlace } from './link.ts';
import { readMarkdownBlocks, type TextRange } from './markdown-blocks.ts';
import type { OtherLink } from './markdown-links.ts';
import { maskInlineCode } from './markdown-mask.ts';

/**
 * The parts of a document's body that are plain prose, in order: no frontmatter, code, comments, headings, links or images of any kind, addresses, HTML
 * tags, blocks of HTML, elements that hold code or a link, brackets, formulas, or escaped characters. What is put into one of them can disturb nothing around it.
 */
export const proseRanges = (text: string): readonly TextRange[] => {
  const split = splitDocument(text);
  const ranges: TextRange[] = [];
  let htmlEnd = -1;
  for (const block of readMarkdownBlocks(text, typeof split === 'string' ? 0 : split.bodyStart).text) {
    const source = maskInlineCode(text.slice(block.start, block.end));
    const { html, elements } = htmlRanges(source);
    // A block of HTML ends at a blank line only, whatever else a line of it would begin.
    const goesOn = htmlEnd >= 0 && !/\n[^\n]*\n/.test(text.slice(htmlEnd, block.start));
    if (goesOn || html !== null) htmlEnd = block.end;
    if (goesOn || html === 0 || isHeading(text.slice(block.start, block.end))) continue;
    const end = html === null ? block.end : block.start + html;
    for (const range of proseOf(text, { start: block.start, end }, source.slice(0, end - block.start), elements)) ranges.push(range);
  }
  return ranges;
};

/** A line of signs, or a line under a text that makes it a heading. */
const isHeading = (source: string): boolean => /^#{1,6}(?:[ \t]|$)/.test(source) || /\n[ \t>]*(?:=+|-+)[ \t]*$/.test(source);

// Every part has a bound or ends at its own sign, so a long text without spaces is read once. In this order: a tag or address may hold what would look like the next kind.
const outOfBounds =
  /<[^<>\n]*>|<[a-z/][^<>]*>|\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s<>]*|\bwww\.[^\s<>]*|(?<![^\s<>@])[^\s<>@]{1,64}@[^\s<>@]{1,253}|\$\$[^$]*\$\$|\$[^$\n]+\$|[\u0001]+/gi;

const proseOf = (text: string, { start, end }: TextRange, masked: string, elements: readonly TextRange[]): readonly TextRange[] => {
  const places: LinkPlace[] = [];
  const others: OtherLink[] = [];
  if (masked.includes('[')) readLinks(text, start, masked, { places, others });
  const taken: TextRange[] = [...places, ...others].map(link => ({ start: link.start, end: link.end }));
  for (const range of [...elements, ...bracketed(masked)]) taken.push({ start: start + range.start, end: start + range.end });
  for (const match of masked.matchAll(outOfBounds)) taken.push({ start: start + match.index, end: start + match.index + match[0].length });
  taken.sort((left, right) => left.start - right.start);
  const prose: TextRange[] = [];
  let from = start;
  for (const range of taken) {
    if (range.start > from) prose.push({ start: from, end: range.start });
    from = Math.max(from, range.end);
  }
  if (from < end) prose.push({ start: from, end });
  return prose;
};

/** What stands in brackets, whatever they turn out to be: a link inside one would end the link around it. */
const bracketed = (masked: string): readonly TextRange[] => {
  const ranges: TextRange[] = [];
  const open: number[] = [];
  for (const match of masked.matchAll(/[[\]]/g)) {
    if (match[0] === '[') open.push(match.index);
    else {
      const start = open.pop();
      if (start !== undefined) ranges.push({ start, end: match.index + 1 });
    }
  }
  return ranges;
};
