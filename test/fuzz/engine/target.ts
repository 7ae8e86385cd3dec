import type { Random } from '#adapter-contracts/testing';

/** One reader under test: how its inputs are made, and the laws that hold for every input whatever its bytes. */
export interface FuzzTarget {
  /** Also the name of its directory in the corpus. */
  readonly name: string;
  /** A fresh input from the target's grammar. */
  generate(random: Random): string | Buffer;
  /** Pieces that mean something to the reader; the mutator strews them in. */
  readonly tokens: readonly string[];
  /** Throws whatever says that a law is broken; never keeps or changes `input`. */
  check(input: Buffer): void | Promise<void>;
  /** Executions of the short form. */
  readonly executions: number;
  /** Source files whose blocks guide the long form; without it inputs come from the grammar and the corpus alone. */
  readonly guidedBy?: RegExp;
}

/** A law that an input breaks. */
class LawBroken extends Error {
  override readonly name = 'LawBroken';
}

/** Throws `LawBroken` unless the law holds; `details` are shown with it. */
export function law(holds: boolean, what: string, details?: unknown): asserts holds {
  if (holds) return;
  throw new LawBroken(details === undefined ? what : `${what}: ${JSON.stringify(details)?.slice(0, 2000)}`);
}

/** What `work` returns or throws, as data. */
export const outcome = <T>(work: () => T): { readonly value: T } | { readonly thrown: unknown } => {
  try {
    return { value: work() };
  } catch (thrown) {
    return { thrown };
  }
};
