import { foldText } from './fold-text.ts';
import { tokensOf } from './tokens.ts';
import { wholeIdentifiers, wordParts } from './word-parts.ts';

/** Every token that finds one of the texts, sorted by code unit, each once (§11.9). */
export const searchTokens = (texts: readonly string[]): readonly string[] => {
  const found = new Set<string>();
  for (const text of texts) {
    const folded = foldText(text);
    for (const token of tokensOf(folded)) found.add(token.text);
    for (const whole of wholeIdentifiers(folded)) found.add(whole);
    for (const part of extraWords(text)) found.add(part);
  }
  return [...found].sort();
};

/** The tokens of a text in their order, each as often as it stands there. */
export const wordsOfText = (text: string): readonly string[] => tokensOf(foldText(text)).map(token => token.text);

/** The words that are found beside a text's own: capitals are lost by folding, Arabic spellings are joined by it. */
export const extraWords = (text: string): readonly string[] =>
  arabic.test(text) ? [...wordParts(text.replaceAll(arabicRuns, ' ')), ...wordParts(foldText(text))] : wordParts(text);

// With the presentation forms, which folding turns into letters.
const arabic = /[\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufeff]/;
const arabicRuns = new RegExp(`${arabic.source}+`, 'g');
