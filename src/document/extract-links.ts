import { splitDocument } from './document-split.ts';
import type { Link, LinkPlace } from './link.ts';
import { createRangeTest, readMarkdownBlocks, type TextRange } from './markdown-blocks.ts';
import { readMarkdownLinks } from './markdown-links.ts';
import { maskInlineCode } from './markdown-mask.ts';
import { createLineCounter } from './text-position.ts';

/**
 * The links of a document's body, in order (§4.3, readings: links). Links in code, comments and frontmatter, images, and links that leave
 * the vault (URLs, other kinds of files, bare anchors) are not among them.
 */
export const extractLinks = (text: string): readonly Link[] => {
  const split = splitDocument(text);
  const places: LinkPlace[] = [];
  for (const block of readMarkdownBlocks(text, typeof split === 'string' ? 0 : split.bodyStart).text) readBlock(text, block, places);
  places.sort((left, right) => left.start - right.start);
  const lineOf = createLineCounter(text);
  return places.map(place => ({ ...place, line: lineOf(place.start) }));
};

const readBlock = (text: string, { start, end }: TextRange, places: LinkPlace[]): void => {
  const source = text.slice(start, end);
  if (!source.includes('[')) return;
  const masked = maskInlineCode(source);
  const markdown: LinkPlace[] = [];
  const addresses = masked.includes('](') || masked.includes(']:') ? readMarkdownLinks(text, masked, start, markdown) : [];
  const isInAddress = createRangeTest(addresses);
  const taken = new Set(markdown.map(place => place.start));
  for (const match of masked.matchAll(/\[\[([^[\]\n]+)\]\]/g)) {
    const at = start + match.index;
    const place = taken.has(at) || isInAddress(at) ? null : readWikiLink(text, at, at + match[0].length);
    if (place !== null) places.push(place);
  }
  places.push(...markdown);
};

const readWikiLink = (text: string, start: number, end: number): LinkPlace | null => {
  const inner = text.slice(start + 2, end - 2);
  const pipe = /\\?\|/.exec(inner);
  const head = pipe === null ? inner : inner.slice(0, pipe.index);
  const hash = head.indexOf('#');
  const written = hash < 0 ? head : head.slice(0, hash);
  const target = written.trim();
  if (target === '') return null;
  const targetStart = start + 2 + written.indexOf(target);
  return {
    kind: 'wiki',
    target,
    anchor: hash < 0 ? null : head.slice(hash + 1).trim(),
    label: pipe === null ? null : inner.slice(pipe.index + pipe[0].length).trim(),
    start,
    end,
    targetStart,
    targetEnd: targetStart + target.length,
  };
};
