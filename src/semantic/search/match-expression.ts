import type { ParsedQuery, Phrase, QueryWord } from './parse-query.ts';

/** A word as the full-text index asks for it. Its tokens are letters, digits and pictograms only, so nothing in them can be syntax. */
export const wordExpression = ({ phrases }: QueryWord): string => `(${phrases.map(phraseExpression).join(' OR ')})`;

/** One phrase as the index asks for it. */
export const phraseExpression = ({ tokens, prefix }: Phrase): string => `"${tokens.join(' ').replaceAll('"', '""')}"${prefix ? ' *' : ''}`;

/** Documents with all words, or with any of them, and with none of the excluded ones. */
export const matchExpression = ({ words, excluded }: ParsedQuery, mode: 'all' | 'any'): string => {
  const wanted = words.map(wordExpression).join(mode === 'all' ? ' AND ' : ' OR ');
  return excluded.length === 0 ? wanted : `(${wanted}) NOT (${excluded.map(wordExpression).join(' OR ')})`;
};
