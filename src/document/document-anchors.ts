import { splitDocument } from './document-split.ts';
import { withFewMarks } from './few-marks.ts';
import { readMarkdownBlocks } from './markdown-blocks.ts';

/**
 * What a link may name behind `#` in a document: its headings, block ids (`^id`) and HTML ids, in the form that `anchorKey` gives. The second heading of
 * one text is also known with `-1` behind it, the third with `-2`, as web renderers count.
 */
export const documentAnchors = (text: string): ReadonlySet<string> => {
  const split = splitDocument(text);
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const { start, end } of readMarkdownBlocks(text, typeof split === 'string' ? 0 : split.bodyStart).text) {
    const source = text.slice(start, end);
    for (const heading of headingsIn(source)) {
      const key = anchorKey(heading);
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      anchors.add(count === 0 ? key : anchorKey(`${key}${count}`));
    }
    for (const match of source.matchAll(/(?<![^\s])\^([\w-]+)[ \t]*(?=\r?\n|$)/g)) anchors.add(`^${match[1] ?? ''}`);
    for (const match of source.matchAll(/<[a-z]\w*\s[^<>]*?\b(?:id|name)=["']?([^"'\s<>]+)|\{#([^\s{}]+)\}/gi)) {
      anchors.add(anchorKey(match[1] ?? match[2] ?? ''));
    }
  }
  return anchors;
};

/**
 * Anchors are written as the heading itself or as a web renderer's form of it, so they are compared by letters and digits alone: `#Who may?`, `#who-may`
 * and `#Who%20may` are one. Of a chain of headings (`#A#B`) the last counts; `^id` stays what it is.
 */
export const anchorKey = (anchor: string): string => {
  const last = decoded(anchor).split('#').at(-1)?.trim() ?? '';
  if (last.startsWith('^')) return last;
  return withFewMarks(last)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
};

const decoded = (anchor: string): string => {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
};

const headingsIn = (source: string): readonly string[] => {
  const line = /^#{1,6}(?:[ \t]+([^\r\n]*))?/.exec(source);
  if (line !== null) return [withoutMarkup((line[1] ?? '').replace(/[ \t]+#+[ \t]*$/, ''))];
  const headings: string[] = [];
  let above: string[] = [];
  for (const each of source.split(/\r?\n/)) {
    if (above.length > 0 && /^ {0,3}(?:=+|-+)[ \t]*$/.test(each)) {
      headings.push(withoutMarkup(above.join(' ')));
      above = [];
    } else above.push(each);
  }
  return headings;
};

/** A link in a heading counts as its label. */
const withoutMarkup = (heading: string): string =>
  heading
    .replace(/\[\[(?:[^[\]|]*\|)?([^[\]]*)\]\]/g, '$1')
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\{#[^\s{}]+\}/g, '')
    .replace(/<[^<>]*>/g, '');
