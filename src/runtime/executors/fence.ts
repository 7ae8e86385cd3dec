import { randomBytes } from 'node:crypto';

/** Marks text from elsewhere in a prompt, with markers that the text cannot hold. */
export interface Fence {
  /** As it stands in both markers; random for each run. */
  readonly id: string;
  /** The text between markers that say where it is from. */
  around(text: string, source: string): string;
}

/**
 * Makes the fence of one run. The id cannot be guessed by whoever wrote the text; should the model itself have put it into a document, it is taken out
 * when that is read back.
 */
export const createFence = (id = randomBytes(12).toString('hex')): Fence => ({
  id,
  around: (text, source) =>
    `<untrusted id="${id}" source=${JSON.stringify(oneLine(source).replaceAll(id, ''))}>\n${text.replaceAll(id, '')}\n</untrusted id="${id}">`,
});

/** Text on one line, without characters that act on a terminal or on the order of reading. */
export const oneLine = (text: string, limit = 200): string => {
  const line = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit).toWellFormed()}…` : line;
};

/** The beginning of a text, cut between characters, and how much was left out. */
export const beginning = (text: string, limit: number): { readonly text: string; readonly left: number } => {
  if (text.length <= limit) return { text, left: 0 };
  const splitsPair = /[\ud800-\udbff]/.test(text[limit - 1] ?? '') && /[\udc00-\udfff]/.test(text[limit] ?? '');
  const end = splitsPair ? limit - 1 : limit;
  return { text: text.slice(0, end), left: text.length - end };
};

/**
 * Text as a closed block of code in a run record, where a heading such as `### step 2` would otherwise begin a step of its own (§5.4).
 */
export const codeBlock = (text: string, limit = 4000): string => {
  const shown = beginning(text, limit);
  const longest = Math.max(2, ...[...shown.text.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  const rest = shown.left === 0 ? '' : `\n(${shown.left} more characters)`;
  return `${ticks}text\n${shown.text}\n${ticks}${rest}`;
};
