// C0 without tab and line feed, DEL, C1; bidi controls; line and paragraph separators; lone surrogates.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const direction = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/g;
const loneSurrogate = /\p{Cs}/gu;

const hex = (text: string, digits: number): string => (text.codePointAt(0) ?? 0).toString(16).padStart(digits, '0');

/**
 * Stored text as it may be shown on a terminal: whatever could move the cursor, recolour the screen or reorder what is read is spelled out
 * (`\x1b`, `<U+202E>`). Tabs, line feeds, and the carriage return before a line feed stay.
 */
export const visibleText = (text: string): string =>
  text
    .replace(controls, (found, offset: number) => (found === '\r' && text[offset + 1] === '\n' ? found : `\\x${hex(found, 2)}`))
    .replace(direction, found => `<U+${hex(found, 4).toUpperCase()}>`)
    .replace(loneSurrogate, found => `\\u${hex(found, 4)}`);

/** The same for text that must stay on one line: tabs and line ends are spelled out too. */
export const visibleLine = (text: string): string => visibleText(text).replace(/[\t\n\r]/g, found => JSON.stringify(found).slice(1, -1));

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const noWidth = /[\p{Mn}\p{Me}\p{Cf}]/u;

const characterWidth = (character: string): number => {
  if (noWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
};

/** Terminal columns that text takes; East Asian wide characters take two. */
export const displayWidth = (text: string): number => {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
};

/** Cuts text to a number of columns, ending in `…` when something was cut. */
export const fitText = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
};

/** Cuts text from its beginning, keeping the end, which tells paths apart. */
export const fitEnd = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text;
  const characters = [...text];
  let width = 0;
  let start = characters.length;
  while (start > 0 && width + characterWidth(characters[start - 1] ?? '') <= columns - 1) {
    start -= 1;
    width += characterWidth(characters[start] ?? '');
  }
  return `…${characters.slice(start).join('')}`;
};
