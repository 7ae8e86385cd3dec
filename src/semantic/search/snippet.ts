import { withFewMarks } from '#document';
import { findPhrases, type PhrasePlace } from './find-phrases.ts';
import { foldWithPlaces } from './fold-with-places.ts';
import type { QueryWord } from './parse-query.ts';

/** A stretch of a document around what was asked for. */
export interface Snippet {
  /** Plain text on one line, `…` where something was left out; never cut inside what a reader sees as one character. */
  readonly text: string;
  /** Where words of the question stand in `text`, in code units; ascending, never overlapping. */
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
}

/** Of a longer text only the beginning is looked at: a snippet is a help, not a proof. */
const longestText = 200_000;
const windowLength = 200;
const lead = 40;

/**
 * The stretch with most of the question's words, of the first text that has most of them; where none has any, the beginning of the last one, which should
 * be the one that says best what the document is.
 *
 * @example makeSnippet([facts.body, facts.description], query.words)
 */
export const makeSnippet = (texts: readonly string[], words: readonly QueryWord[]): Snippet => {
  const candidates = texts.filter(text => text !== '').map(text => placedWords(text, words));
  const most = Math.max(0, ...candidates.map(candidate => candidate.known));
  const best = most === 0 ? candidates.at(-1) : candidates.find(candidate => candidate.known === most);
  return best === undefined ? { text: '', ranges: [] } : cutAround(best);
};

interface PlacedWords {
  readonly text: string;
  readonly places: readonly PhrasePlace[];
  /** How many different words there are. */
  readonly known: number;
}

const placedWords = (given: string, words: readonly QueryWord[]): PlacedWords => {
  const text = withFewMarks(given.slice(0, longestText).toWellFormed()).normalize('NFC').replace(/\s/g, ' ');
  const placed = foldWithPlaces(text);
  const places = findPhrases(placed.folded, words).map(({ start, end, word }) => ({ ...placed.original(start, end), word }));
  return { text, places, known: new Set(places.map(place => place.word)).size };
};

const cutAround = ({ text, places }: PlacedWords): Snippet => {
  const first = bestPlace(places);
  const from = wordStart(text, Math.max(0, (first?.start ?? 0) - lead));
  const to = wordEnd(text, Math.min(text.length, Math.max(from + windowLength, Math.min(first?.end ?? 0, from + 2 * windowLength))));
  const before = from > 0 ? '…' : '';
  const after = to < text.length ? '…' : '';
  const shift = before.length - from;
  const shown = before + text.slice(from, to) + after;
  const inside = places.filter(({ start, end }) => start < to && end > from);
  const ranges = inside.map(({ start, end }) => ({ start: Math.max(start, from) + shift, end: Math.min(end, to) + shift }));
  return { text: shown, ranges: wholeCharacters(shown, ranges) };
};

/** Ranges that overlap or touch made one, and each widened to whole characters: nothing can mark a part of an emoji. */
const wholeCharacters = (text: string, ranges: Snippet['ranges']): Snippet['ranges'] => {
  const widened: { start: number; end: number }[] = [];
  const edges = [...Array.from(graphemes.segment(text), ({ index }) => index), text.length];
  for (const range of ranges) {
    const start = edges.findLast(edge => edge <= range.start) ?? 0;
    const end = edges.find(edge => edge >= range.end) ?? text.length;
    const last = widened.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else widened.push({ start, end });
  }
  return widened;
};

/** The place from which a window shows most different words; the earliest of equals. */
const bestPlace = (places: readonly PhrasePlace[]): PhrasePlace | undefined => {
  let best: PhrasePlace | undefined;
  let most = 0;
  const counts = new Map<number, number>();
  let behind = 0;
  for (const place of places) {
    while (behind < places.length && (places[behind]?.end ?? 0) <= place.start + windowLength - lead) {
      const word = places[behind]?.word ?? -1;
      counts.set(word, (counts.get(word) ?? 0) + 1);
      behind += 1;
    }
    if (counts.size > most) [best, most] = [place, counts.size];
    const left = (counts.get(place.word) ?? 1) - 1;
    if (left > 0) counts.set(place.word, left);
    else counts.delete(place.word);
  }
  return best ?? places[0];
};

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const slack = 24;
const context = 64;

/** A cut at or a little before `at`: behind a space or at the beginning if one is near, else between two characters. */
const wordStart = (text: string, at: number): number => {
  const space = text.lastIndexOf(' ', at);
  if (space === -1 && at <= slack) return 0;
  return space >= Math.max(0, at - slack) ? space + 1 : characterStart(text, at);
};

const wordEnd = (text: string, at: number): number => {
  if (at >= text.length) return text.length;
  const space = text.lastIndexOf(' ', at);
  return space > at - slack ? space : characterStart(text, at);
};

const characterStart = (text: string, at: number): number => {
  const from = Math.max(0, at - context);
  const found = graphemes.segment(text.slice(from, at + context)).containing(at - from)?.index ?? at - from;
  const start = from + found;
  // A single character longer than the context, which only an attacker writes, is cut between code points.
  if (start > from || from === 0) return start;
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
};
