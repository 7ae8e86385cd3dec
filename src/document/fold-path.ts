/**
 * The form in which two paths that some file system would treat as one are equal: NFC and full case folding (readings: case twins). For
 * finding twins and choosing lock slots, never for storing.
 *
 * @example foldPath('rules/Straße.md') === foldPath('rules/STRASSE.md')
 */
export const foldPath = (path: string): string => {
  if (/^[\0-\x7f]*$/.test(path)) return path.toLowerCase();
  return path
    .normalize('NFD')
    .replace(/[^\0-\x7f]+|[A-Z]+/g, foldCase)
    .normalize('NFC');
};

// Lower, upper, lower reaches Unicode's full folding (ß and ẞ → ss) but for two letters: a final sigma depends on its
// neighbours, and dotless i is a letter of its own.
const foldCase = (text: string): string =>
  text
    .split('ı')
    .map(part => part.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ'))
    .join('ı');
