/** Why a text is embedded: models made for retrieval treat questions and documents differently. */
export type EmbeddingPurpose = 'query' | 'document';

/**
 * Turns text into vectors of meaning (§11.3). A host has at most one; vectors of different models are never compared.
 */
export interface Embedder {
  /** Identity of model and revision, recorded with every vector. */
  readonly model: string;
  /** Length of every vector; null until the first embedding told it. */
  readonly dimension: number | null;
  /** Texts that one call may hold. */
  readonly batchSize: number;
  /**
   * One vector per text, in their order, of length one. Rejects with an Error that names the endpoint or directory, never a key, when the model cannot
   * be reached, answers something else than as many equally long vectors of finite numbers, or `signal` ends it. `EmbedderUnavailableError` says that
   * the same texts may succeed later; any other error is about these texts.
   */
  embed(
    texts: readonly string[],
    options: { readonly purpose: EmbeddingPurpose; readonly signal?: AbortSignal },
  ): Promise<readonly Float32Array[]>;
}

/** The model does not answer now, or not to this configuration: whoever embeds many texts stops here rather than trying them one by one. */
export class EmbedderUnavailableError extends Error {
  override readonly name = 'EmbedderUnavailableError';
}
