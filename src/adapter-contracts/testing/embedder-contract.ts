import assert from 'node:assert/strict';
import type { Embedder } from '#adapter-contracts';
import type { TestApi } from './contract-harness.ts';

/** An embedder under test. */
export interface EmbedderHarness extends TestApi {
  readonly name: string;
  open(): Promise<Embedder & { close?(): Promise<void> }>;
  /** For models that know several languages: two texts of one meaning, and one of another. */
  readonly multilingual?: { readonly same: readonly [string, string]; readonly other: string };
}

/** Registers the tests of the embedder contract (§11.3). `multilingual` adds that meaning counts for more than words. */
export const embedderContract = (harness: EmbedderHarness): void => {
  const { describe, test, multilingual } = harness;
  const withEmbedder = async (body: (embedder: Embedder) => Promise<void>): Promise<void> => {
    const embedder = await harness.open();
    try {
      await body(embedder);
    } finally {
      await embedder.close?.();
    }
  };
  describe(`embedder contract: ${harness.name}`, () => {
    test('no texts give no vectors', () =>
      withEmbedder(async embedder => assert.deepEqual(await embedder.embed([], { purpose: 'document' }), [])));

    test('every text gets a vector of length one, all equally long', () =>
      withEmbedder(async embedder => {
        const vectors = await embedder.embed(textsFor(embedder), { purpose: 'document' });
        assert.equal(vectors.length, Math.min(embedder.batchSize, someTexts.length));
        for (const vector of vectors) {
          assert.equal(vector.length, embedder.dimension);
          assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-3, 'length one');
        }
      }));

    test('a full batch is answered', () =>
      withEmbedder(async embedder => {
        const texts = Array.from({ length: embedder.batchSize }, (_, index) => `text number ${index}`);
        assert.equal((await embedder.embed(texts, { purpose: 'document' })).length, embedder.batchSize);
      }));

    test('the order of the texts is kept, and a text has the same vector each time', () =>
      withEmbedder(async embedder => {
        const texts = textsFor(embedder);
        const together = await embedder.embed(texts, { purpose: 'document' });
        for (const [index, text] of texts.entries()) {
          const [alone] = await embedder.embed([text], { purpose: 'document' });
          assert.ok(alone !== undefined && cosine(alone, together[index] as Float32Array) > 0.999, text);
        }
      }));

    test('questions have the dimension of documents', () =>
      withEmbedder(async embedder => {
        const [document] = await embedder.embed(['a document'], { purpose: 'document' });
        const [query] = await embedder.embed(['a question'], { purpose: 'query' });
        assert.equal(query?.length, document?.length);
        assert.equal(embedder.dimension, document?.length);
      }));

    test('the identity of the model says something and stays', () =>
      withEmbedder(async embedder => {
        const before = embedder.model;
        await embedder.embed(['a text'], { purpose: 'document' });
        assert.notEqual(before, '');
        assert.equal(embedder.model, before);
      }));

    test('an aborted signal ends the work with its reason', () =>
      withEmbedder(async embedder => {
        const reason = new Error('enough');
        await assert.rejects(embedder.embed(['a text'], { purpose: 'document', signal: AbortSignal.abort(reason) }), reason);
      }));

    if (multilingual === undefined) return;
    test('texts of one meaning are nearer than texts of one language', () =>
      withEmbedder(async embedder => {
        const { same, other } = multilingual;
        const [query] = await embedder.embed([same[0]], { purpose: 'query' });
        const [near] = await embedder.embed([same[1]], { purpose: 'document' });
        const [far] = await embedder.embed([other], { purpose: 'document' });
        assert.ok(cosine(query as Float32Array, near as Float32Array) > cosine(query as Float32Array, far as Float32Array));
      }));
  });
};

const someTexts = ['A short note.', '会議は来週の火曜に変更', 'naïve café 🚲', `long ${'and longer '.repeat(200)}`, 'x'];
const textsFor = (embedder: Embedder): readonly string[] => someTexts.slice(0, embedder.batchSize);

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, index) => sum + value * (b[index] ?? Number.NaN), 0);
