import { JsonSyntaxError, parseStrictJson } from '#api';
import { UsageError } from './cli-error.ts';

/**
 * Reads `k=v` and `k:=JSON` arguments into patches. `k=v` is typed as the same text would be in frontmatter (`true`, `42`, `0.5`, `null` and an
 * empty value are not strings; `007`, `yes` and dates are); `k:=JSON` says exactly what is meant.
 *
 * @example parseAssignments(['status=done', 'attempts=2', 'tags:=["a","b"]'])
 */
export const parseAssignments = (words: readonly string[]): Record<string, unknown> => {
  const patches = Object.create(null) as Record<string, unknown>;
  for (const word of words) {
    const [key, value] = parseAssignment(word);
    if (Object.hasOwn(patches, key)) throw new UsageError(`'${key}' is given twice; a patch sets a key once`);
    patches[key] = value;
  }
  return patches;
};

const parseAssignment = (word: string): readonly [string, unknown] => {
  const equals = word.indexOf('=');
  if (equals === -1) throw new UsageError(`'${word}' is not an assignment: write key=value, or key:=JSON`);
  const json = word[equals - 1] === ':';
  const key = word.slice(0, json ? equals - 1 : equals);
  const text = word.slice(equals + 1);
  if (key === '') throw new UsageError(`'${word}' has no key before the '='`);
  return [key, json ? parseJsonValue(key, text) : scalarOf(text)];
};

const parseJsonValue = (key: string, text: string): unknown => {
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new UsageError(`the value of '${key}' is not JSON: ${error.message}`);
    throw error;
  }
};

// The scalar rules of the frontmatter subset (§4.5), lower case only; whole numbers that a double cannot hold stay text.
const scalarOf = (text: string): unknown => {
  if (text === '' || text === 'null' || text === '~') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?(0|[1-9]\d*)$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) + 0 : text;
  return /^-?\d*\.\d+$/.test(text) ? Number(text) : text;
};
