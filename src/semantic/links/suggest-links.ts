import { createPlaceFinder, encodeAddress, proseRanges } from '#document';
import type { LinkMap } from './link-map.ts';
import type { LinkedDocument } from './linked-document.ts';
import { keyLength, type MentionName, mentionNames, unspaced } from './mention-names.ts';

/** A place where a text names another document and does not link to it. */
export interface LinkSuggestion {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** The mention as it stands there. */
  readonly text: string;
  /** The document it names. */
  readonly target: string;
  readonly start: number;
  readonly end: number;
}

export type SuggestLinks = (document: LinkedDocument, text: string) => readonly LinkSuggestion[];

/**
 * Finds mentions of titles and aliases that could be links (readings: links between documents): in prose only, whole words only, the longest name where
 * several fit, the first mention of each document, and none of a document that the text links to already.
 */
export const createLinkSuggester = (map: LinkMap): SuggestLinks => {
  const names = mentionNames(map.documents.values());
  return (document, text) => {
    if (document.kind !== 'document' || document.appendOnly) return [];
    const linked = new Set([document.path]);
    for (const link of document.links) {
      const leads = map.resolve(link, document.path);
      if (leads.kind === 'resolved') linked.add(leads.path);
    }
    const placeOf = createPlaceFinder(text);
    const suggestions: LinkSuggestion[] = [];
    for (const range of proseRanges(text)) {
      for (const { start, end, path } of mentionsIn(text, range.start, range.end, names)) {
        if (linked.has(path)) continue;
        linked.add(path);
        suggestions.push({ path: document.path, ...placeOf(start), text: text.slice(start, end), target: path, start, end });
      }
    }
    return suggestions;
  };
};

/** The text with each suggestion made a link from the vault's root (§4.3); every other byte stays. */
export const withSuggestedLinks = (text: string, suggestions: readonly LinkSuggestion[]): string => {
  let result = '';
  let from = 0;
  for (const { start, end, target } of suggestions.toSorted((left, right) => left.start - right.start)) {
    result += `${text.slice(from, start)}[${text.slice(start, end)}](/${target.split('/').map(encodeAddress).join('/')})`;
    from = end;
  }
  return result + text.slice(from);
};

function* mentionsIn(text: string, from: number, end: number, names: ReadonlyMap<string, readonly MentionName[]>) {
  const isBoundary = boundaryTest(text, from, end);
  for (let pos = from; pos < end; ) {
    const candidates = names.get(text.slice(pos, pos + keyLength).toLowerCase());
    const name = candidates?.find(({ lowered }) => {
      const after = pos + lowered.length;
      return after <= end && text.slice(pos, after).toLowerCase() === lowered && isBoundary(after);
    });
    // Behind `!` a link would be an image, behind `]` it could be read as part of what stands there.
    if (name === undefined || !isBoundary(pos) || /[!\]\\]/.test(text[pos - 1] ?? '')) {
      pos += 1;
      continue;
    }
    const after = pos + name.lowered.length;
    yield { start: pos, end: after, path: name.path };
    pos = after;
  }
}

const inWord = /[\p{L}\p{M}\p{N}_]/u;

/** Whether a word starts or ends at an offset. Between two signs of a script without spaces a dictionary knows; in `tone-deaf` and `rules/tone.md` no word ends. */
const boundaryTest = (text: string, start: number, end: number): ((at: number) => boolean) => {
  let words: Set<number> | null = null;
  const breaksAt = (at: number): boolean => {
    if (words === null) {
      words = new Set([start, end]);
      for (const { index } of segmenter.segment(text.slice(start, end))) words.add(start + index);
    }
    return words.has(at);
  };
  return at => {
    const [before, after] = [characterBefore(text, at), characterAfter(text, at)];
    if (unspaced.test(before) || unspaced.test(after)) return !(inWord.test(before) && inWord.test(after)) || breaksAt(at);
    if (inWord.test(before) && inWord.test(after)) return false;
    // What begins with one of these is a tag, a name or a path.
    if (/[#@/\\]/.test(before)) return false;
    return !(joins(before, characterBefore(text, at - before.length)) || joins(after, characterAfter(text, at + after.length)));
  };
};

/** A sign that ties what stands on both sides into one word or one path. */
const joins = (sign: string, beyond: string): boolean => /[-'’/\\#@.:=&+]/.test(sign) && inWord.test(beyond);

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

const characterBefore = (text: string, at: number): string => {
  if (at <= 0) return '';
  const isPair = /[\udc00-\udfff]/.test(text[at - 1] ?? '') && /[\ud800-\udbff]/.test(text[at - 2] ?? '');
  return text.slice(at - (isPair ? 2 : 1), at);
};

const characterAfter = (text: string, at: number): string => {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
};
