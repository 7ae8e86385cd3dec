import { foldText } from '../tokens/fold-text.ts';
import { phraseOfPart, runsOf, type TokenRun, tokensOf } from '../tokens/tokens.ts';
import { withoutArticle } from '../tokens/word-parts.ts';

/** Tokens that must stand one after the other; with `prefix` the last is only the beginning of one. */
export interface Phrase {
  readonly tokens: readonly string[];
  readonly prefix: boolean;
}

/** One word of a question: any of its phrases will do. */
export interface QueryWord {
  readonly phrases: readonly Phrase[];
}

export interface ParsedQuery {
  readonly words: readonly QueryWord[];
  /** Words that a document must not have. */
  readonly excluded: readonly QueryWord[];
  /** The question was longer than what is looked at. */
  readonly cut: boolean;
}

/** How much of a question is looked at. */
const longestQuery = 2000;
const mostWords = 24;

/**
 * Reads a question as a person types it: words that must all occur, `"quoted words"` that must stand together, `-word` that must not occur. The last word
 * may be unfinished, unless a space or a quotation mark ends it. Nothing in it is an operator of the index, and nothing is an error (readings: searching).
 */
export const parseQuery = (query: string): ParsedQuery => {
  const text = query.slice(0, longestQuery).toWellFormed();
  const words: QueryWord[] = [];
  const excluded: QueryWord[] = [];
  for (const chunk of chunksOf(text)) {
    const found = chunk.quoted ? quotedWord(chunk.text) : wordsOf(chunk.text, chunk.last && !/\s$/.test(text));
    (chunk.excluded ? excluded : words).push(...found);
  }
  const kept = words.slice(0, mostWords);
  return { words: kept, excluded: excluded.slice(0, mostWords), cut: query.length > longestQuery || words.length > mostWords };
};

interface Chunk {
  readonly text: string;
  readonly quoted: boolean;
  readonly excluded: boolean;
  readonly last: boolean;
}

const chunksOf = (text: string): readonly Chunk[] => {
  const matches = [...text.matchAll(/(?<![^\s(])(-?)["“”„«»]([^"“”„«»]*)["“”«»]|(?<!\S)(-(?=[\p{L}\p{N}]))?([^\s"“”„«»]+)|[^\s"“”„«»]+/gu)];
  return matches.map((match, index) => {
    const [whole, quoteMinus, quoted, minus, bare] = match;
    const last = index === matches.length - 1;
    if (quoted !== undefined) return { text: quoted, quoted: true, excluded: quoteMinus === '-', last };
    return { text: bare ?? whole, quoted: false, excluded: minus === '-', last };
  });
};

/** What is quoted must stand together, as it is written. */
const quotedWord = (text: string): readonly QueryWord[] => {
  const runs = runsOf(foldText(text));
  const [only] = runs;
  if (only === undefined) return [];
  if (runs.length === 1) return [{ phrases: [wholeRun(only)] }];
  // Inside the quotation a run without spaces gives all its tokens; its end stands before the next word. Only at the end may it go on.
  const tokens = tokensOf(foldText(text)).map(token => token.text);
  const lastRun = runs.at(-1) ?? only;
  if (lastRun.kind === 'word') return [{ phrases: [{ tokens, prefix: false }] }];
  const length = Array.from(lastRun.text).length;
  return [{ phrases: [length === 1 ? { tokens, prefix: true } : { tokens: tokens.slice(0, -1), prefix: false }] }];
};

const wholeRun = (run: TokenRun): Phrase => (run.kind === 'word' ? { tokens: [run.text], prefix: false } : phraseOfPart(run.text));

/** The words of a stretch without spaces: what separators hold together is one, and each word of a script without spaces. */
const wordsOf = (text: string, unfinished: boolean): readonly QueryWord[] => {
  const words: QueryWord[] = [];
  let held: string[] = [];
  const runs = runsOf(foldText(text));
  const close = (open: boolean): void => {
    if (held.length > 0) words.push(spacedWord(held, open));
    held = [];
  };
  for (const run of runs) {
    if (run.kind === 'word') {
      held.push(run.text);
      continue;
    }
    close(false);
    words.push(...unspacedWords(run.text));
  }
  // `tone.` or `tone)` is a finished word.
  close(unfinished && /[\p{L}\p{M}\p{N}]$/u.test(text));
  return words;
};

const spacedWord = (tokens: readonly string[], open: boolean): QueryWord => {
  const phrases: Phrase[] = [{ tokens, prefix: false }];
  const last = tokens.at(-1) ?? '';
  // The whole word beside its beginning makes documents that have it rank above those that only go on from it.
  if (open && Array.from(last).length > 1) phrases.push({ tokens, prefix: true });
  const bare = tokens.length === 1 ? withoutArticle(last) : null;
  if (bare !== null) phrases.push({ tokens: [bare], prefix: false });
  return { phrases };
};

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * A run without spaces as its words. Each word may also be met by the whole run, so that documents with the very same words rank first; single
 * characters beside longer words, most of them particles, are not asked for.
 */
const unspacedWords = (run: string): readonly QueryWord[] => {
  const parts = Array.from(segmenter.segment(run), ({ segment }) => segment);
  const longer = parts.filter(part => Array.from(part).length > 1);
  const whole = phraseOfPart(run);
  if (longer.length === 0 || (longer.length === 1 && longer[0] === run)) return [{ phrases: [whole] }];
  return longer.map((part, index) => ({ phrases: index === 0 ? [phraseOfPart(part), whole] : [phraseOfPart(part)] }));
};
