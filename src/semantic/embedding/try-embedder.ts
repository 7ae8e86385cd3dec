import type { Embedder } from '#adapter-contracts';
import type { EmbedderTrial } from './embeddings.ts';

const question = 'When is the meeting?';
const other = 'The price of a bicycle helmet';
const translations = [
  ['de', 'Wann ist die Besprechung?'],
  ['es', '¿Cuándo es la reunión?'],
  ['ja', '会議はいつですか'],
  ['zh', '会议是什么时候?'],
  ['th', 'การประชุมคือเมื่อไร'],
  ['ar', 'متى الاجتماع؟'],
  ['hi', 'बैठक कब है?'],
] as const;

/** Asks a model for one question in eight languages, and for another sentence in the first. */
export const tryEmbedder = async (embedder: Embedder, signal: AbortSignal | undefined): Promise<EmbedderTrial> => {
  const started = performance.now();
  const vectors: Float32Array[] = [];
  const texts = [question, other, ...translations.map(([, text]) => text)];
  for (let start = 0; start < texts.length; start += embedder.batchSize) {
    const batch = texts.slice(start, start + embedder.batchSize);
    vectors.push(...(await embedder.embed(batch, { purpose: 'document', ...(signal === undefined ? {} : { signal }) })));
  }
  const milliseconds = Math.round(performance.now() - started);
  const [first, far, ...near] = vectors as [Float32Array, Float32Array, ...Float32Array[]];
  const pairs = translations.map(([language], index) => ({
    language,
    same: cosine(first, near[index] as Float32Array),
    other: cosine(first, far),
  }));
  return { model: embedder.model, dimension: first.length, milliseconds, pairs };
};

const cosine = (one: Float32Array, another: Float32Array): number =>
  Math.round(one.reduce((sum, value, index) => sum + value * (another[index] as number), 0) * 1000) / 1000;
