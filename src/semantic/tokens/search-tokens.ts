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
    for (const part of extraWords(text, folded)) found.add(part);
  }
  return [...found].sort();
};

/** The tokens of a text in their order, each as often as it stands there. */
export const wordsOfText = (text: string): readonly string[] => tokensOf(foldText(text)).map(token => token.text);

/** `wordParts` of a text whose folded form is known: capitals are lost by folding, Arabic spellings are joined by it. */
export const extraWords = (text: string, folded: string): readonly string[] =>
  /[\u0600-\u06ff]/.test(folded) ? [...wordParts(text.replace(/[\u0600-\u06ff]+/g, ' ')), ...wordParts(folded)] : wordParts(text);
