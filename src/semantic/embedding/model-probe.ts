import type Database from 'better-sqlite3';
import type { Embedder } from '#adapter-contracts';
import type { VectorSpace } from './embeddable-documents.ts';
import { hasVectorTables, prepareVectorTables, readBlobInto, vectorToBlob } from './vector-tables.ts';

/** A sentence whose vector is kept with the index, to notice when other weights answer to the same name. */
const probeText = 'The quick brown fox jumps over the lazy dog. いろはにほへと';
/** Other hardware moves a vector a little, other weights a lot. */
const sameModel = 0.98;

export const askProbe = async (embedder: Embedder, signal: AbortSignal | undefined): Promise<Float32Array> => {
  const [vector] = await embedder.embed([probeText], { purpose: 'document', ...(signal === undefined ? {} : { signal }) });
  if (vector === undefined) throw new Error('the model gave no vector');
  return vector;
};

const keyOf = ({ model, dim }: VectorSpace): string => `probe:${dim}:${model}`;

/** Whether the model answers as it did when the index was made; true when nothing was kept. */
export const isKnownModel = (db: Database.Database, space: VectorSpace, probe: Float32Array): boolean => {
  if (!hasVectorTables(db)) return true;
  const row = db.prepare<[string], { value: Buffer }>('SELECT value FROM embedding_meta WHERE key = ?').get(keyOf(space));
  if (row === undefined || row.value.length !== probe.length * 4) return true;
  const kept = new Float32Array(probe.length);
  readBlobInto(kept, 0, row.value);
  return kept.reduce((sum, value, index) => sum + value * (probe[index] as number), 0) >= sameModel;
};

/** Keeps the answer that an index begins with. */
export const keepProbe = (db: Database.Database, space: VectorSpace, probe: Float32Array, replace: boolean): void => {
  prepareVectorTables(db);
  db.prepare(`INSERT OR ${replace ? 'REPLACE' : 'IGNORE'} INTO embedding_meta VALUES (?, ?)`).run(keyOf(space), vectorToBlob(probe));
};
