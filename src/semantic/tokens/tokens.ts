import { foldText, isAscii } from './fold-text.ts';
import { rewritingMixedRuns } from './mixed-runs.ts';

/** Changes whenever other tokens would come out; recorded with everything that was made of them. */
export const tokeniserVersion = '2';

/** A stretch of folded text: a word of a script with spaces (or one pictogram), or a run of a script without them. */
export interface TokenRun {
  readonly kind: 'word' | 'unspaced';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** One token with its place in the folded text. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

// Scripts whose words stand without spaces, and Hangul, whose particles cling to the word before them.
const unspacedClass =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Bopomofo}\\p{sc=Hangul}\\p{sc=Yi}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\u30fc\\u3005\\u3006\\u3007';
const unspaced = new RegExp(`[${unspacedClass}]`, 'u');
const scriptRuns = new RegExp(`[${unspacedClass}]+|[^${unspacedClass}]+`, 'gu');
const words = /[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}|\p{Regional_Indicator}/gu;

/** The runs of a folded text, in order; everything between them separates. */
export const runsOf = (folded: string): readonly TokenRun[] => {
  const runs: TokenRun[] = [];
  for (const { 0: text, index } of folded.matchAll(words)) {
    if (isAscii(text) || !unspaced.test(text)) runs.push({ kind: 'word', text, start: index, end: index + text.length });
    else
      for (const part of text.matchAll(scriptRuns)) {
        const start = index + part.index;
        const kind = unspaced.test(part[0]) ? 'unspaced' : 'word';
        runs.push({ kind, text: part[0], start, end: start + part[0].length });
      }
  }
  return runs;
};

/**
 * The tokens of a folded text, in order. A run of a script without spaces gives each pair of neighbouring characters and its last character, so that
 * every part of it, two characters or one, is found by a phrase or a beginning: no dictionary decides, and no version of ICU (readings: search words).
 */
export const tokensOf = (folded: string): readonly Token[] => runsOf(folded).flatMap(run => (run.kind === 'word' ? [run] : pairs(run)));

const pairs = ({ text, start }: TokenRun): readonly Token[] => {
  const tokens: Token[] = [];
  const characters = Array.from(text);
  let at = start;
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1] ?? '';
    tokens.push({ text: character + next, start: at, end: at + character.length + next.length });
    at += character.length;
  }
  return tokens;
};

/** The tokens that a part of a run must show one after the other; a single character is the beginning of a token. */
export const phraseOfPart = (part: string): { readonly tokens: readonly string[]; readonly prefix: boolean } => {
  const characters = Array.from(part);
  if (characters.length < 2) return { tokens: characters, prefix: true };
  return { tokens: characters.slice(1).map((character, index) => `${characters[index]}${character}`), prefix: false };
};

/**
 * A text as the full-text index takes it: tokens with spaces between. The index itself takes ASCII letters and digits, and everything beyond ASCII, as
 * parts of tokens, so ASCII text goes in as it is.
 */
export const indexText = (text: string): string => (isAscii(text) ? text : indexRuns(text));

const indexRuns = rewritingMixedRuns(
  run =>
    tokensOf(foldText(run))
      .map(token => token.text)
      .join(' '),
  ascii => ascii,
);
