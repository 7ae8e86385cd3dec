import type { Random } from '#adapter-contracts/testing';
import { pick } from './choose.ts';

/** Rules by name; `<name>` in an alternative stands for that rule. The first alternative of each rule must come to an end by itself. */
export type Grammar = Readonly<Record<string, readonly string[]>>;

/** A random text of the rule; deeper than `depth` only first alternatives are taken, so that every text is finite. */
export const expand = (grammar: Grammar, rule: string, random: Random, depth = 8): string => {
  const alternatives = grammar[rule];
  if (alternatives === undefined) throw new Error(`the grammar has no rule '${rule}'`);
  const chosen = depth > 0 ? pick(random, alternatives) : (alternatives[0] ?? '');
  return chosen.replace(/<([a-z]+)>/g, (_all, name: string) => expand(grammar, name, random, depth - 1));
};
