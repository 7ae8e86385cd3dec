import { unitVector } from './unit-vector.ts';

/**
 * The vectors in an answer of an OpenAI-compatible `/embeddings` endpoint, in the order of the texts, each of length one. Throws an Error that says what
 * is wrong with the answer; it quotes nothing of it.
 */
export const readEmbeddingsReply = (
  json: string,
  expected: { readonly texts: number; readonly dimension: number | null },
): Float32Array[] => {
  const rows = orderedRows(parse(json), expected.texts);
  const vectors = rows.map((row, place) => {
    try {
      return unitVector(numbersOf(row.embedding));
    } catch (error) {
      throw new Error(`answered, for text ${place + 1}, ${(error as Error).message}`);
    }
  });
  const dimension = expected.dimension ?? vectors[0]?.length;
  const other = vectors.find(vector => vector.length !== dimension);
  if (other !== undefined) throw new Error(`answered a vector of ${other.length} numbers where ${dimension} are expected`);
  return vectors;
};

interface Row {
  readonly index?: unknown;
  readonly embedding?: unknown;
}

const parse = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    // The parser's own message quotes the text, which is not ours to repeat.
    throw new Error('answered something that is not JSON');
  }
};

/** Servers that batch answer in any order and say so with `index`; some say nothing and keep the order. */
const orderedRows = (reply: unknown, texts: number): readonly Row[] => {
  const data = isObject(reply) ? reply.data : undefined;
  if (!Array.isArray(data) || !data.every(isObject)) throw new Error('answered no list of embeddings: is this an embeddings endpoint?');
  const rows = data as readonly Row[];
  if (rows.length !== texts) throw new Error(`answered ${rows.length} vectors for ${texts} texts`);
  if (rows.every(row => row.index === undefined)) return rows;
  const ordered = new Array<Row | undefined>(texts).fill(undefined);
  for (const row of rows) {
    const { index } = row;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= texts || ordered[index] !== undefined)
      throw new Error('answered vectors whose `index` does not name each text once');
    ordered[index] = row;
  }
  return ordered as readonly Row[];
};

/** Numbers as they are, or little-endian 32-bit floats in base64. */
const numbersOf = (embedding: unknown): ArrayLike<number> => {
  if (Array.isArray(embedding) && embedding.every(value => typeof value === 'number')) return embedding;
  if (typeof embedding !== 'string') throw new Error('neither numbers nor base64');
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0 || bytes.toString('base64').replace(/=+$/, '') !== embedding.replace(/=+$/, ''))
    throw new Error('base64 that holds no 32-bit floats');
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
