import { splitDocument } from './document-split.ts';
import type { Link, LinkPlace } from './link.ts';
import { createRangeTest, readMarkdownBlocks, type TextRange } from './markdown-blocks.ts';
import { type LinkSink, type OtherLink, readMarkdownLinks } from './markdown-links.ts';
import { maskInlineCode } from './markdown-mask.ts';
import { createLineCounter } from './text-position.ts';

/**
 * The links of a document's body, in order (§4.3, readings: links). Links in code, comments and frontmatter, images, and links that leave
 * the vault (URLs, other kinds of files, bare anchors) are not among them.
 */
export const extractLinks = (text: string): readonly Link[] => {
  const places: LinkPlace[] = [];
  for (const block of bodyBlocks(text)) readBlock(text, block, { places });
  return inOrder(text, places);
};

/**
 * The links whose address would lead to a document if it ended in `.md`: `[x](/rules/tone)`. They are no links (readings: links), but most
 * authors of one meant the document.
 */
export const extractEndlessLinks = (text: string): readonly Link[] => {
  const others: OtherLink[] = [];
  for (const block of bodyBlocks(text)) readBlock(text, block, { places: [], others });
  return inOrder(
    text,
    others.flatMap(({ image, ...place }) => (image || !isEndless(place.target) ? [] : [place])),
  );
};

const isEndless = (target: string): boolean => /[^/.]$/.test(target) && !/^(?:[a-z][a-z\d+.-]*:|\/\/)|[?]|\.[a-z\d]{1,5}$/i.test(target);

const bodyBlocks = (text: string): readonly TextRange[] => {
  const split = splitDocument(text);
  return readMarkdownBlocks(text, typeof split === 'string' ? 0 : split.bodyStart).text;
};

const inOrder = (text: string, places: LinkPlace[]): readonly Link[] => {
  places.sort((left, right) => left.start - right.start);
  const lineOf = createLineCounter(text);
  return places.map(place => ({ ...place, line: lineOf(place.start) }));
};

const readBlock = (text: string, block: TextRange, sink: LinkSink): void => {
  const source = text.slice(block.start, block.end);
  if (source.includes('[')) readLinks(text, block.start, maskInlineCode(source), sink);
};

/** Every link of one block whose code is masked. */
export const readLinks = (text: string, start: number, masked: string, { places, others }: LinkSink): void => {
  const markdown: LinkPlace[] = [];
  const sink = others === undefined ? { places: markdown } : { places: markdown, others };
  const addresses = masked.includes('](') || masked.includes(']:') ? readMarkdownLinks(text, masked, start, sink) : [];
  const isInAddress = createRangeTest(addresses);
  const taken = new Set([...markdown, ...(others ?? [])].map(place => place.start));
  for (const match of masked.matchAll(/\[\[([^[\]\n]+)\]\]/g)) {
    const at = start + match.index;
    const place = taken.has(at) || isInAddress(at) ? null : readWikiLink(text, at, at + match[0].length);
    if (place !== null) places.push(place);
  }
  // One by one: spread as arguments, very many overflow the stack.
  for (const place of markdown) places.push(place);
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
