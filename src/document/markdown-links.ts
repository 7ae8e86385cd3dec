import type { LinkPlace } from './link.ts';
import type { TextRange } from './markdown-blocks.ts';

/** Where links of one text block are gathered: those to `.md` files in `places`, and what else a link or an image spans in `others`. */
export interface LinkSink {
  readonly places: LinkPlace[];
  /** Images, and links that leave the vault or whose address lacks the ending. */
  readonly others?: OtherLink[];
}

/** A link or an image that leads to no `.md` file. */
export interface OtherLink extends LinkPlace {
  readonly image: boolean;
}

/** Inline links and link definitions of one text block; gives the ranges of their addresses, in which no other link can stand. */
export const readMarkdownLinks = (text: string, masked: string, offset: number, places: LinkSink): readonly TextRange[] => {
  const addresses: TextRange[] = [];
  let from = 0;
  for (let next = 0; ; from = next) {
    next = readDefinition(text, masked, offset, from, places);
    if (next === from) break;
    addresses.push({ start: offset + from, end: offset + next });
  }
  const openers: { at: number; image: boolean }[] = [];
  // Links do not nest: an opening bracket below this index has a link inside it and is text.
  let inactiveBelow = 0;
  for (const match of masked.slice(from).matchAll(/[[\]]/g)) {
    const at = from + match.index;
    if (offset + at < (addresses.at(-1)?.end ?? 0)) continue;
    if (match[0] === '[') {
      openers.push({ at, image: masked[at - 1] === '!' });
      continue;
    }
    const opener = openers.pop();
    if (opener === undefined || masked[at + 1] !== '(') continue;
    const destination = openers.length < inactiveBelow ? null : readInlineDestination(masked, at + 2);
    inactiveBelow = Math.min(inactiveBelow, openers.length);
    if (destination === null) continue;
    addresses.push({ start: offset + at, end: offset + destination.after });
    if (opener.image) {
      places.others?.push({ ...placeOf({ text, offset, start: opener.at, labelEnd: at, destination }), image: true });
      continue;
    }
    addLink(places, { text, offset, start: opener.at, labelEnd: at, destination });
    inactiveBelow = openers.length;
  }
  return addresses;
};

/** Reads `[label]: address` at a line's start, where only other definitions precede it; the offset after it, or `from`. */
const readDefinition = (text: string, masked: string, offset: number, from: number, places: LinkSink): number => {
  const label = /[ \t>]*(\[(?!\^)[^[\]]{1,999}\]):/y;
  label.lastIndex = from;
  const match = label.exec(masked);
  if (match === null) return from;
  const address = readAddress(masked, passSpace(masked, label.lastIndex), false);
  if (address === null) return from;
  const titleEnd = readTitle(masked, address.after);
  const titled = lineEndAt(masked, titleEnd);
  const end = titled >= 0 ? titled : lineEndAt(masked, address.after);
  if (end < 0) return from;
  const start = label.lastIndex - 1 - (match[1] ?? '').length;
  addLink(places, {
    text,
    offset,
    start,
    labelEnd: label.lastIndex - 2,
    destination: { ...address, after: titled >= 0 ? titleEnd : address.after },
  });
  return Math.min(end + 1, masked.length);
};

/** Where the line ends when only white space is left on it, else -1. */
const lineEndAt = (masked: string, from: number): number => {
  let pos = from;
  while (pos < masked.length && ' \t\r'.includes(masked[pos] ?? '')) pos++;
  return pos === masked.length || masked[pos] === '\n' ? pos : -1;
};

interface Destination {
  /** The address as written, without angle brackets. */
  readonly start: number;
  readonly end: number;
  /** After what belongs to the link. */
  readonly after: number;
}

/** What stands in the parentheses of an inline link: an address, perhaps a title. */
const readInlineDestination = (masked: string, from: number): Destination | null => {
  const address = readAddress(masked, passSpace(masked, from), true);
  if (address === null) return null;
  const after = passSpace(masked, readTitle(masked, address.after));
  return masked[after] === ')' ? { ...address, after: after + 1 } : null;
};

const passSpace = (text: string, from: number): number => {
  let pos = from;
  while (pos < text.length && ' \t\r\n'.includes(text[pos] ?? '')) pos++;
  return pos;
};

// CommonMark asks for no more, and a bound keeps a text of open parentheses from being read over and over.
const deepestParentheses = 32;

const readAddress = (masked: string, from: number, balanced: boolean): Destination | null => {
  if (masked[from] === '<') {
    const end = masked.slice(from + 1).search(/[<>\n]|$/) + from + 1;
    return masked[end] === '>' ? { start: from + 1, end, after: end + 1 } : null;
  }
  let depth = 0;
  let pos = from;
  for (; pos < masked.length && !' \t\r\n'.includes(masked[pos] ?? ''); pos++) {
    if (masked[pos] === '(' && ++depth > deepestParentheses) return null;
    if (masked[pos] === ')' && --depth < 0) break;
  }
  return pos > from && (depth <= 0 || !balanced) ? { start: from, end: pos, after: pos } : null;
};

/** The offset after a title that is set off by white space, or `from`. */
const readTitle = (masked: string, from: number): number => {
  const start = passSpace(masked, from);
  const opening = masked[start];
  if (start === from || (opening !== '"' && opening !== "'" && opening !== '(')) return from;
  // A title in parentheses holds no parentheses.
  const end = masked.slice(start + 1).search(opening === '(' ? /[()]|$/ : opening === '"' ? /"|$/ : /'|$/) + start + 1;
  return end < masked.length && masked[end] !== '(' ? end + 1 : from;
};

interface Found {
  readonly text: string;
  readonly offset: number;
  readonly start: number;
  readonly labelEnd: number;
  readonly destination: Destination;
}

const addLink = ({ places, others }: LinkSink, found: Found): void => {
  const place = placeOf(found);
  if (place.target.endsWith('.md') && !/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(place.target)) places.push(place);
  else others?.push({ ...place, image: false });
};

const placeOf = ({ text, offset, start, labelEnd, destination }: Found): LinkPlace => {
  const written = text.slice(offset + destination.start, offset + destination.end);
  const hash = written.indexOf('#');
  const address = hash < 0 ? written : written.slice(0, hash);
  return {
    kind: 'markdown',
    target: decodeAddress(address),
    anchor: hash < 0 ? null : written.slice(hash + 1),
    label: text.slice(offset + start + 1, offset + labelEnd),
    start: offset + start,
    end: offset + destination.after,
    targetStart: offset + destination.start,
    targetEnd: offset + destination.start + address.length,
  };
};

const decodeAddress = (address: string): string => {
  const plain = address.replace(/\\([!-/:-@[-`{-~])/g, '$1');
  try {
    return decodeURIComponent(plain);
  } catch {
    // A percent sign that encodes nothing stands for itself.
    return plain;
  }
};
