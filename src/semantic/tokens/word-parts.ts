// A blob of base64 has capitals in its midst, too, and no words.
const longestIdentifier = 100;
const camel = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;

/**
 * Words that are found beside the tokens of a text: the parts of `camelCase` names, and Arabic words without their article.
 *
 * @example wordParts('parseHTTPHeader') // ['parse', 'http', 'header']
 */
export const wordParts = (text: string): readonly string[] => [
  ...camelParts(text),
  ...(/[\u0600-\u06ff]/.test(text) ? bareWords(text) : []),
];

const camelParts = (text: string): readonly string[] => {
  if (!camel.test(text)) return [];
  const parts: string[] = [];
  for (const { 0: name } of text.matchAll(/[A-Za-z0-9]+/g)) {
    if (name.length > longestIdentifier || !camel.test(name)) continue;
    for (const { 0: part } of name.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g)) parts.push(part.toLowerCase());
  }
  return parts;
};

const bareWords = (text: string): readonly string[] => {
  const bare: string[] = [];
  for (const { 0: word } of text.matchAll(/[\u0600-\u06ff]{5,}/g)) {
    const rest = withoutArticle(word);
    if (rest !== null) bare.push(rest);
  }
  return bare;
};

/** A folded Arabic word without its article and what is written together with it; null when there is none, or too little would be left. */
export const withoutArticle = (word: string): string | null => /^(?:[وفبك]?ال|لل)(.{3,})$/u.exec(word)?.[1] ?? null;

/** Identifiers of a folded text that separators hold together, such as `prefer-atomic-writes`, `base_hash` and `7.25`. */
export const wholeIdentifiers = (folded: string): readonly string[] =>
  Array.from(folded.matchAll(/[a-z0-9]+(?:[-_.][a-z0-9]+)+/g), match => match[0]).filter(name => name.length <= longestIdentifier);
