const slots = 1024;
const longestShared = 32;
const shared: string[] = new Array<string>(slots).fill('');

/**
 * The key between two offsets. Documents repeat the same few keys, and a string that was a key before is found much faster
 * in a map than a fresh slice of the text; a fixed number of slots bounds what is remembered.
 */
export const shareKey = (text: string, codes: Uint16Array, start: number, end: number): string => {
  const length = end - start;
  const slot = (codes[start]! * 31 + codes[end - 1]! * 7 + length) & (slots - 1);
  const known = shared[slot] ?? '';
  if (known.length === length && standsAt(known, codes, start)) return known;
  const key = text.slice(start, end);
  if (length <= longestShared) shared[slot] = key;
  return key;
};

// A loop, because on keys this short the call of `startsWith` costs more.
const standsAt = (known: string, codes: Uint16Array, start: number): boolean => {
  for (let index = 0; index < known.length; index++) if (known.charCodeAt(index) !== codes[start + index]!) return false;
  return true;
};
