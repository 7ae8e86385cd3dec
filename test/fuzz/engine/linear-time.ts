import { law } from './target.ts';

// Quadratic time takes a quarter of a minute and more for this many characters, linear time a few hundredths of a second.
const longText = 100_000;
const mostMilliseconds = 5_000;

/** Breaks a law when a reader takes long for a short text over and over: one that looks ahead without end reads its end over and over. */
export const readsInLinearTime = (text: string, read: (long: string) => void, most = mostMilliseconds): void => {
  if (text === '') return;
  const long = text.repeat(Math.ceil(longText / text.length)).slice(0, longText);
  const start = performance.now();
  read(long);
  const took = performance.now() - start;
  law(took < most, 'a long text is read in linear time', { text, milliseconds: Math.round(took) });
};
