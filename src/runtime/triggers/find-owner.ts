import { matchGlob } from '#document';

/** What an `assistant` document says it is responsible for. */
export interface Claim {
  readonly assistant: string;
  readonly owns: readonly string[];
}

/** Who owns a subject: one assistant, nobody, or several whose claims are equally good and which a person has to settle. */
export type Ownership =
  | { readonly kind: 'owned'; readonly assistant: string; readonly claim: string }
  | { readonly kind: 'unowned' }
  | { readonly kind: 'tied'; readonly claims: readonly { readonly assistant: string; readonly claim: string }[] };

/** The assistant whose matching claim has the longest literal prefix (§11.8). Equal best claims of different assistants are a tie, never a choice. */
export const findOwner = (subject: string, claims: readonly Claim[]): Ownership => {
  let best = -1;
  let holders: { assistant: string; claim: string }[] = [];
  for (const { assistant, owns } of claims) {
    for (const claim of owns) {
      if (!matchGlob(claim, subject)) continue;
      const length = literalPrefix(claim);
      if (length > best) holders = [];
      if (length >= best) holders.push({ assistant, claim });
      best = Math.max(best, length);
    }
  }
  const [first] = holders;
  if (first === undefined) return { kind: 'unowned' };
  if (holders.every(({ assistant }) => assistant === first.assistant)) return { kind: 'owned', ...first };
  return { kind: 'tied', claims: holders.toSorted((a, b) => (a.assistant < b.assistant ? -1 : 1)) };
};

const literalPrefix = (glob: string): number => {
  const star = glob.indexOf('*');
  return star === -1 ? glob.length : star;
};
