const slots = 1024;
const longestShared = 32;
const shared: string[] = new Array<string>(slots).fill('');

/** One step of a key's slot number; readers take it while they look for the key's end. */
export const nextSlot = (slot: number, code: number): number => (slot * 31 + code) & (slots - 1);

/**
 * The key between two offsets. Documents repeat the same few keys, and a string that was a key before is found much faster
 * in a map than a fresh slice of the text; a fixed number of slots bounds what is remembered.
 */
export const shareKey = (text: string, start: number, end: number, slot: number): string => {
  const length = end - start;
  const known = shared[slot] ?? '';
  if (known.length === length && text.startsWith(known, start)) return known;
  const key = text.slice(start, end);
  if (length <= longestShared) shared[slot] = key;
  return key;
};
