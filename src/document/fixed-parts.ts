import { readLinks } from './extract-links.ts';
import type { LinkPlace } from './link.ts';
import { readMarkdownBlocks, type TextRange } from './markdown-blocks.ts';
import type { OtherLink } from './markdown-links.ts';
import { maskInlineCode } from './markdown-mask.ts';

/** What a text keeps when it is told in other words. */
export interface FixedParts {
  /** What links, images and bare addresses lead to, with anchors, in their order. */
  readonly links: readonly string[];
  /** Fenced and indented code, code spans, comments and HTML tags as they are written, in their order. */
  readonly code: readonly string[];
}

/**
 * The parts of a document's body that no rendering may change (§11.9): code, comments, tags, and where links lead; not their labels. What looks like
 * frontmatter at the beginning of a body is text like the rest of it.
 */
export const fixedParts = (text: string): FixedParts => {
  let from = 0;
  const links: string[] = [];
  const code: string[] = [];
  const { text: blocks, fences } = readMarkdownBlocks(text, from);
  for (const block of blocks) {
    keepHidden(text, { start: from, end: block.start }, fences, code);
    const masked = maskInlineCode(text.slice(block.start, block.end));
    // A tag has a name: an address between angle brackets is a link.
    for (const match of masked.matchAll(/\u0001+|<\/?[a-z][a-z\d-]*(?=[\s/>])[^<>]*>/gi)) {
      const written = text.slice(block.start + match.index, block.start + match.index + match[0].length);
      if (/[`<]/.test(written)) code.push(written);
    }
    for (const link of linksOf(text, block.start, masked)) links.push(link);
    from = block.end;
  }
  keepHidden(text, { start: from, end: text.length }, fences, code);
  return { links, code };
};

/** Between the blocks of text stand blank lines, and code and comments: each fence for itself, so that text may come between two of them. */
const keepHidden = (text: string, { start, end }: TextRange, fences: readonly TextRange[], code: string[]): void => {
  const cuts = fences.flatMap(fence => (fence.start >= start && fence.end <= end ? [fence.start, fence.end] : []));
  for (const [index, from] of [start, ...cuts].entries()) {
    const written = text
      .slice(from, cuts[index] ?? end)
      .replaceAll('\r\n', '\n')
      .trim();
    if (written !== '') code.push(written);
  }
};

const linksOf = (text: string, start: number, masked: string): readonly string[] => {
  const places: LinkPlace[] = [];
  const others: OtherLink[] = [];
  if (masked.includes('[')) readLinks(text, start, masked, { places, others });
  const found = [...places, ...others].map(({ start: at, target, anchor }) => ({
    at,
    link: anchor === null ? target : `${target}#${anchor}`,
  }));
  // Only what an address may hold: the next word of a script without spaces follows at once.
  for (const match of masked.matchAll(/\b[a-z][a-z\d+.-]{0,20}:\/\/[!#-;=?-Z_a-z~%[\]]+/gi))
    found.push({ at: start + match.index, link: match[0].replace(/[\])}.,;:!?'*_]+$/, '') });
  return found.toSorted((left, right) => left.at - right.at).map(({ link }) => link);
};
