import { createHash } from 'node:crypto';
import type { Embedder } from '#adapter-contracts';
import { conceptTable } from './concept-table.ts';

interface ConceptOptions {
  /** Default: `concept-table`. Vectors of two names have nothing in common. */
  readonly model?: string;
  /** Default: 96; at least twice the number of concepts. */
  readonly dimension?: number;
  readonly batchSize?: number;
}

const concepts = Object.values(conceptTable);

/**
 * A stand-in for a multilingual embedding model in tests and guides, and no more than that: it knows the few dozen ideas of `conceptTable` in eight
 * languages and nothing else of any language. Texts that name the same ideas get near vectors; always the same ones, without a network.
 *
 * @example const [vector] = await createConceptEmbedder().embed(['when is the meeting'], { purpose: 'query' });
 */
export const createConceptEmbedder = ({ model = 'concept-table', dimension = 96, batchSize = 16 }: ConceptOptions = {}): Embedder => {
  if (dimension < concepts.length * 2) throw new RangeError(`a dimension of at least ${concepts.length * 2} is needed`);
  const turn = fingerprint(model) % dimension;
  const axis = (place: number): number => (place + turn) % dimension;
  const vectorOf = (text: string): Float32Array => {
    const vector = new Float32Array(dimension);
    const lower = text.normalize('NFC').toLowerCase();
    const words = lower.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
    concepts.forEach((names, place) => {
      if (names.some(name => (/^[\p{Script=Latin}]/u.test(name) ? words.some(word => word.startsWith(name)) : lower.includes(name))))
        vector[axis(place)] = 1;
    });
    // What it does not know makes texts differ a little, on axes that no idea uses.
    for (const word of words.length === 0 ? [lower] : words) {
      const place = concepts.length + (fingerprint(word) % (dimension - concepts.length));
      vector[axis(place)] = (vector[axis(place)] ?? 0) + 0.05;
    }
    const norm = Math.hypot(...vector);
    return vector.map(value => value / norm);
  };
  return {
    model,
    dimension,
    batchSize,
    async embed(texts, { signal }) {
      signal?.throwIfAborted();
      return texts.map(vectorOf);
    },
  };
};

const fingerprint = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);
