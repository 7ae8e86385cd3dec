import { type Token, tokensOf } from '../tokens/tokens.ts';
import type { Phrase, QueryWord } from './parse-query.ts';

/** A place in a folded text where a word of the question stands. */
export interface PhrasePlace {
  readonly start: number;
  readonly end: number;
  /** Which word of the question. */
  readonly word: number;
}

/** Every place of the question's words in a folded text, in order; the same rules by which the index found the document. */
export const findPhrases = (folded: string, words: readonly QueryWord[]): readonly PhrasePlace[] => {
  const tokens = tokensOf(folded);
  const places = words.flatMap(({ phrases }, word) =>
    phrases.flatMap(phrase => placesOf(tokens, phrase).map(place => ({ ...place, word }))),
  );
  const missing = words.flatMap(({ phrases }, word) =>
    places.some(place => place.word === word) ? [] : partOfName(folded, phrases, word),
  );
  return [...places, ...missing].sort((left, right) => left.start - right.start || right.end - left.end);
};

const placesOf = (
  tokens: readonly Token[],
  { tokens: wanted, prefix }: Phrase,
): readonly { readonly start: number; readonly end: number }[] => {
  const last = wanted.length - 1;
  const places: { start: number; end: number }[] = [];
  for (let at = 0; at + last < tokens.length; at += 1) {
    const fits = wanted.every((token, offset) => {
      const found = tokens[at + offset]?.text ?? '';
      return found === token || (prefix && offset === last && found.startsWith(token));
    });
    if (!fits) continue;
    const first = tokens[at] as Token;
    const end = tokens[at + last] as Token;
    // A beginning marks the word it begins; of a pair of characters, only what was asked for.
    const begun = prefix && Array.from(wanted[last] ?? '').length === 1 ? end.start + (wanted[last] ?? '').length : end.end;
    places.push({ start: first.start, end: begun });
  }
  return places;
};

/** A word that stands inside a name, as `document` does in `parsedocument`. */
const partOfName = (folded: string, phrases: readonly Phrase[], word: number): readonly PhrasePlace[] => {
  const single = phrases.find(phrase => phrase.tokens.length === 1)?.tokens[0];
  const start = single === undefined ? -1 : folded.indexOf(single);
  return start < 0 ? [] : [{ start, end: start + (single ?? '').length, word }];
};
