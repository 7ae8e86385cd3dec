import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** An input that is kept: what once broke a law, or reached a block of code that no other input reached. */
export interface CorpusEntry {
  readonly file: string;
  readonly input: Buffer;
}

const directoryOf = (target: string): URL => new URL(`../corpus/${target}/`, import.meta.url);

/** The kept inputs of a target, in an order that does not depend on the file system. */
export const readCorpus = (target: string): readonly CorpusEntry[] => {
  const directory = directoryOf(target);
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .sort()
    .map(file => ({ file, input: readFileSync(new URL(encodeURIComponent(file), directory)) }));
};

/** Keeps an input under its content's hash and tells where. */
export const keepInput = (target: string, why: 'broke' | 'reached', input: Buffer): string => {
  const directory = directoryOf(target);
  mkdirSync(directory, { recursive: true });
  const file = new URL(`${why}-${createHash('sha256').update(input).digest('hex').slice(0, 12)}`, directory);
  writeFileSync(file, input);
  return fileURLToPath(file);
};
