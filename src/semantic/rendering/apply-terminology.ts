import { proseRanges } from '#document';
import type { LanguageConvention } from './language-convention.ts';

type Terms = Pick<LanguageConvention, 'terminology' | 'language'>;

/**
 * Writes the preferred words in the prose of a document (§11.7): whole words only, never in code, links, addresses or headings, which links may name.
 */
export const applyTerminology = (text: string, convention: Terms): string => {
  if (convention.terminology.length === 0) return text;
  let result = '';
  let from = 0;
  for (const { start, end } of proseRanges(text)) {
    result += text.slice(from, start) + replaceTerms(text.slice(start, end), convention);
    from = end;
  }
  return result + text.slice(from);
};

/** The same for a text without Markdown, such as a title. The longest word wins; what was replaced is not looked at again. */
export const replaceTerms = (text: string, { terminology, language }: Terms): string => {
  const terms = new Map(terminology.flatMap(({ write, instead_of: words }) => words.map(word => [word, write] as const)));
  if (terms.size === 0) return text;
  const words = [...terms.keys()].toSorted((left, right) => right.length - left.length).map(escapeForPattern);
  const isBoundary = boundariesOf(text, language);
  return text.replaceAll(new RegExp(words.join('|'), 'gu'), (found, at: number) =>
    isBoundary(at) && isBoundary(at + found.length) ? (terms.get(found) ?? found) : found,
  );
};

/** Where words begin and end, also in scripts that write no spaces. */
const boundariesOf = (text: string, language: string): ((at: number) => boolean) => {
  const boundaries = new Set([text.length]);
  for (const { index } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) boundaries.add(index);
  return at => boundaries.has(at);
};

const escapeForPattern = (word: string): string => word.replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&');
