import { defaultItemLimits, type ItemLimits } from './byte-lines.ts';
import { JsonSyntaxError, parseStrictJson } from './strict-json.ts';

/** One element of the input: a value, or the reason why the text in its place is none. Lines and columns count from 1. */
export type JsonItem =
  | { readonly line: number; readonly value: unknown }
  | { readonly line: number; readonly column: number; readonly problem: string };

export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes and reads one value; what is wrong with it is data, with its place in the whole input. */
export const parseJsonItem = (bytes: Uint8Array, start: TextPlace, limits: ItemLimits = defaultItemLimits): JsonItem => {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { ...start, problem: 'the bytes are not valid UTF-8' };
  }
  try {
    return { line: start.line, value: parseStrictJson(text, limits.depth) };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const before = text.slice(0, error.offset).split('\n');
    const column = (before.at(-1)?.length ?? 0) + (before.length === 1 ? start.column : 1);
    return { line: start.line + before.length - 1, column, problem: error.message };
  }
};

export const tooLongItem = (line: number, limits: ItemLimits): JsonItem => ({
  line,
  column: 1,
  problem: `longer than ${limits.bytes / 1024 / 1024} MiB`,
});
