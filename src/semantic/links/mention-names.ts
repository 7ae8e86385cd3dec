import { withFewMarks } from '#document';
import type { LinkedDocument } from './linked-document.ts';

/** A title or alias that a text may mention, and the one document it means. */
export interface MentionName {
  readonly name: string;
  readonly lowered: string;
  readonly path: string;
}

/** Scripts that are written without spaces between words. */
export const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Shorter names are words that happen to be a title. */
const fewestLetters = 3;
const fewestUnspaced = 2;

/** How many characters names are grouped by; no name is shorter. */
export const keyLength = 2;

/**
 * The names that are worth a link, grouped by their beginning, the longest first: titles and aliases of documents that may travel, each meaning one
 * document only.
 */
export const mentionNames = (documents: Iterable<LinkedDocument>): ReadonlyMap<string, readonly MentionName[]> => {
  const owners = new Map<string, MentionName | null>();
  for (const { path, kind, portability, title, aliases } of documents) {
    if (kind !== 'document' || portability !== 'structural') continue;
    for (const name of [title, ...aliases].flatMap(spellings)) {
      const lowered = name.toLowerCase();
      const known = owners.get(lowered);
      owners.set(lowered, known === undefined || known?.path === path ? { name, lowered, path } : null);
    }
  }
  const grouped = new Map<string, MentionName[]>();
  for (const name of owners.values()) {
    if (name === null) continue;
    const key = name.lowered.slice(0, keyLength);
    const group = grouped.get(key);
    if (group === undefined) grouped.set(key, [name]);
    else group.push(name);
  }
  for (const names of grouped.values()) names.sort((left, right) => right.lowered.length - left.lowered.length);
  return grouped;
};

/** A name as it may stand in a text: accents in one character or in two, as different systems store them. */
const spellings = (name: string | null): readonly string[] => {
  const trimmed = withFewMarks(name?.trim() ?? '');
  const letters = trimmed.match(/\p{L}/gu)?.length ?? 0;
  if (letters < (unspaced.test(trimmed) ? fewestUnspaced : fewestLetters) || /[[\]`|\\\r\n]/.test(trimmed)) return [];
  return [...new Set([trimmed.normalize('NFC'), trimmed.normalize('NFD')])];
};
