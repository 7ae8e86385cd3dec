const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How far behind the wished cut the segmenter looks; it only needs to see that a character goes on. */
const lookAhead = 64;

/**
 * Where a page of `text` that begins at `from` ends: at most `limit` code units on, never inside what a reader sees as one character (interfaces
 * §5). A single character longer than a page, which only an attacker writes, is cut between code points, so that paging always advances.
 *
 * @example text.slice(0, characterCut(text, 0, 20_000))
 */
export const characterCut = (text: string, from: number, limit: number): number => {
  const wished = from + limit;
  if (wished >= text.length) return text.length;
  const start = segmenter.segment(text.slice(from, wished + lookAhead)).containing(limit)?.index ?? limit;
  if (start > 0) return from + start;
  return isLowSurrogate(text.charCodeAt(wished)) && limit > 1 ? wished - 1 : wished;
};

/** The beginning of `text`, with an ellipsis where something is left out. */
export const shortened = (text: string, limit: number): string => {
  const end = characterCut(text, 0, limit);
  return end === text.length ? text : `${text.slice(0, end)}…`;
};

/** Whether a page may begin at `offset`; anything else was not given by us. */
export const isPageStart = (text: string, offset: number): boolean =>
  Number.isSafeInteger(offset) && offset >= 0 && offset <= text.length && !isLowSurrogate(text.charCodeAt(offset));

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
