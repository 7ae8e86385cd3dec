import { withFewMarks } from '#document';
import { rewritingMixedRuns } from './mixed-runs.ts';

/**
 * The form in which two spellings of a word are equal for search: NFKC, lower case whatever the locale, no marks on Latin, Greek, Arabic and Hebrew
 * letters, digits of every script as ASCII ones (readings: search words). Marks of Indic and South-East Asian scripts are letters to their readers and
 * stay.
 *
 * @example foldText('Straße CAFÉ') // 'strasse cafe'
 */
export const foldText = (text: string): string => (isAscii(text) ? text.toLowerCase() : foldRuns(text));

const foldRun = (text: string): string =>
  // What is taken out may have kept marks apart.
  withFewMarks(
    withFewMarks(text.toWellFormed())
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[\p{Default_Ignorable_Code_Point}\u0640]/gu, ''),
  )
    .normalize('NFD')
    .replace(/([\p{sc=Latin}\p{sc=Greek}\p{sc=Arabic}\p{sc=Hebrew}])\p{Mn}+/gu, '$1')
    .normalize('NFC')
    .replace(foldedLetter, letter => foldedLetters[letter] ?? digitOf(letter));

const foldRuns = rewritingMixedRuns(foldRun, ascii => ascii.toLowerCase());

export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

// What no decomposition joins: Latin letters with strokes and ligatures, final sigma, the letters that Arabic and Persian keyboards write differently,
// and Cyrillic io, which most texts write as ie.
const foldedLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
  ё: 'е',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
};

const foldedLetter = /[ßæœøđðþłħŧıςёٱىیکة]|(?![0-9])\p{Nd}/gu;

/** Decimal digits stand in rows of ten that begin at a code point ending in 0 or 6. */
const digitOf = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0;
  const place = code & 0xf;
  return String(place < 6 || isDigit(code - place) ? place % 10 : place - 6);
};

const isDigit = (code: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(code));
