import { type Embedder, EmbedderUnavailableError } from '#adapter-contracts';
import { reasonOf } from '#errors';

/** What became of one text. */
export type EmbeddedText = { readonly vector: Float32Array } | { readonly vector: null; readonly reason: string };

/**
 * Embeds texts in batches. A batch that is refused is halved until the texts to blame are alone: one text that a model cannot take must not keep the
 * others out. Rejects when the model is unavailable or `signal` ends it.
 */
export const embedTexts = async (
  embedder: Embedder,
  texts: readonly string[],
  options: { readonly signal?: AbortSignal | undefined; readonly onDone?: ((count: number) => void) | undefined },
): Promise<readonly EmbeddedText[]> => {
  const results: EmbeddedText[] = [];
  for (let start = 0; start < texts.length; start += embedder.batchSize) {
    const batch = texts.slice(start, start + embedder.batchSize);
    results.push(...(await embedBatch(embedder, batch, options.signal)));
    options.onDone?.(batch.length);
  }
  return results;
};

const embedBatch = async (
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly EmbeddedText[]> => {
  try {
    const vectors = await embedder.embed(texts, { purpose: 'document', ...(signal === undefined ? {} : { signal }) });
    if (vectors.length !== texts.length) throw new Error(`the model gave ${vectors.length} vectors for ${texts.length} texts`);
    return vectors.map(vector => ({ vector }));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof EmbedderUnavailableError) throw error;
    if (texts.length === 1) return [{ vector: null, reason: reasonOf(error) }];
    const half = Math.ceil(texts.length / 2);
    return [...(await embedBatch(embedder, texts.slice(0, half), signal)), ...(await embedBatch(embedder, texts.slice(half), signal))];
  }
};
