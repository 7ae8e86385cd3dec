import { foldText, isAscii } from '../tokens/fold-text.ts';

/** A folded text that knows where each of its code units came from. */
export interface PlacedText {
  readonly folded: string;
  /** The range of the original that a range of the folded text was made of. */
  original(start: number, end: number): { readonly start: number; readonly end: number };
}

const pieces = /[\0-\x7f]+(?!\p{M})|\P{M}\p{M}*|\p{M}+/gu;

/** Folds a text piece by piece; the text should be in NFC, in which letters and their marks are one piece. */
export const foldWithPlaces = (text: string): PlacedText => {
  if (isAscii(text)) return { folded: text.toLowerCase(), original: (start, end) => ({ start, end }) };
  let folded = '';
  // For each code unit of the folded text where its piece begins, and where it ends; inside ASCII both run along.
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    const plain = isAscii(piece);
    const made = foldText(piece);
    folded += made;
    for (let unit = 0; unit < made.length; unit += 1) {
      starts.push(plain ? index + unit : index);
      ends.push(plain ? index + unit + 1 : index + piece.length);
    }
  }
  return { folded, original: (start, end) => ({ start: starts[start] ?? text.length, end: ends[end - 1] ?? text.length }) };
};
