import { nearnessWeights } from '../embedding/nearness-weights.ts';
import type { FoundDocument, LexicalHit } from './lexical-search.ts';
import { feedbackWeight } from './lexical-search.ts';

/** Both kinds of evidence beside the score that was made of them (§11.9). */
export interface RankedHit extends FoundDocument {
  /** 1 for a document that stands first everywhere, less below; comparable within one answer only. */
  readonly score: number;
  readonly evidence: {
    /** How well the words fit; 0 when none occurs. */
    readonly lexical: number;
    /** Cosine, −1 to 1; null when the document was not among the nearest, or nothing was compared. */
    readonly semantic: number | null;
  };
}

// The usual constant of reciprocal rank fusion: how much the first places count before those behind them.
const evenness = 60;

/**
 * Reciprocal rank fusion: each list gives a document 1/(60 + its place), so no scale of one list outweighs the other. Documents that have only some of
 * the words count as much less as words are missing, and documents by meaning as much less as they are farther than the nearest. Equal scores stand by words first, then by path.
 */
export const fuseHits = (
  lexical: readonly LexicalHit[],
  semantic: readonly { readonly document: FoundDocument; readonly similarity: number }[],
  options: { readonly words: number; readonly feedback: boolean },
): readonly RankedHit[] => {
  const found = new Map<string, RankedHit>();
  for (const [place, { lexical: evidence, matched, ...document }] of lexical.entries()) {
    const weight = options.words === 0 ? 0 : matched / options.words;
    found.set(document.path, { ...document, score: weight / (evenness + place + 1), evidence: { lexical: evidence, semantic: null } });
  }
  const nearness = nearnessWeights(semantic.map(({ similarity }) => similarity));
  for (const [place, { document, similarity }] of semantic.entries()) {
    const known = found.get(document.path) ?? { ...document, score: 0, evidence: { lexical: 0, semantic: null } };
    found.set(document.path, {
      ...known,
      score: known.score + (nearness[place] ?? 0) / (evenness + place + 1),
      evidence: { ...known.evidence, semantic: similarity },
    });
  }
  const most = (evenness + 1) / 2;
  return [...found.values()]
    .map(hit => ({ ...hit, score: hit.score * most * (options.feedback ? 1 + feedbackWeight * hit.approval : 1) }))
    .sort(
      (left, right) => right.score - left.score || right.evidence.lexical - left.evidence.lexical || comparePaths(left.path, right.path),
    );
};

const comparePaths = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

/** A page of the lexical list alone; the score falls with the place, so that it reads like a fused one. */
export const rankLexical = (hits: readonly LexicalHit[], offset: number, words: number): readonly RankedHit[] =>
  hits.map(({ lexical, matched, ...document }, index) => ({
    ...document,
    score: ((evenness + 1) / (evenness + offset + index + 1)) * (words === 0 ? 0 : matched / words),
    evidence: { lexical, semantic: null },
  }));
