/** Whether questions can be answered by meaning, and if not, why. */
export type SemanticLaneState =
  /** No embedding model is configured, or, with a `reason`, none that can be used. */
  | { readonly state: 'off'; readonly reason?: string }
  /** Vectors of another model or dimension, or none yet: `sheaf index embed` makes them. */
  | { readonly state: 'reindex_needed'; readonly model: string; readonly reason: string }
  /** `missing` documents have no vector yet, so answers by meaning are partial. */
  | { readonly state: 'ready'; readonly model: string; readonly dimension: number; readonly missing: number };

/** One document near a question. */
export interface SemanticHit {
  readonly path: string;
  /** Cosine, −1 to 1. */
  readonly similarity: number;
}

/** Search by meaning, beside the lexical one (§11.3). Vectors of different models are never compared. */
export interface SemanticLane {
  /** As of the last levelling of the projections. */
  state(): Promise<SemanticLaneState>;
  /**
   * The nearest documents among those that `allowed` lets through, best first. Rejects with an Error when the model cannot be reached; the search then
   * answers from words alone and says so.
   */
  nearest(
    query: string,
    options: { readonly limit: number; readonly allowed: (path: string) => boolean; readonly signal?: AbortSignal },
  ): Promise<readonly SemanticHit[]>;
}
