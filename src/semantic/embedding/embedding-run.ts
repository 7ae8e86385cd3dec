import type { Embedder } from '#adapter-contracts';
import { type ProjectionView, type ScanSource, scanFile } from '#projections';
import type { Registry } from '#registry';
import { recordText } from '../records/build-record.ts';
import { documentFacts } from '../records/document-facts.ts';
import { chunkText } from './chunk-text.ts';
import { type EmbeddedText, embedTexts } from './embed-texts.ts';
import { missingDocuments, type VectorSpace } from './embeddable-documents.ts';
import { prepareVectorTables, vectorToBlob } from './vector-tables.ts';

/** What a run works with. */
export interface EmbeddingParts {
  readonly projections: ProjectionView;
  readonly registry: Registry;
  readonly source: ScanSource;
}

/** A document that the model did not take. */
export interface FailedDocument {
  readonly path: string;
  readonly reason: string;
}

interface RunOptions {
  readonly embedder: Embedder;
  readonly space: VectorSpace;
  readonly embedsPrivate: boolean;
  /** Documents at most; the rest is left for the next run. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  readonly onDocuments?: ((count: number) => void) | undefined;
}

/** Documents that are read and embedded together; an interrupted run loses at most so many. */
const pageSize = 32;
/** A model that takes none of the first so many documents is broken, not choosy. */
const patience = 8;

/**
 * Embeds the documents that have no vectors of this space for their content now, by path. Each document's vectors are written as a whole, so a killed
 * run leaves nothing half done and the next one goes on behind it. Rejects when the model is unavailable or takes no document at all.
 */
export const runEmbedding = async (
  parts: EmbeddingParts,
  options: RunOptions,
): Promise<{ readonly embedded: number; readonly failed: readonly FailedDocument[] }> => {
  const { space, embedsPrivate, limit, signal } = options;
  const failed: FailedDocument[] = [];
  let embedded = 0;
  for (let after = ''; embedded + failed.length < limit; ) {
    signal?.throwIfAborted();
    const size = Math.min(pageSize, limit - embedded - failed.length);
    const page = await parts.projections.read(db => missingDocuments(db, space, { embedsPrivate, after, limit: size }));
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.path;
    const done = await embedPage(parts, options, page);
    embedded += done.embedded;
    failed.push(...done.failed);
    options.onDocuments?.(done.embedded + done.failed.length);
    const [first] = failed;
    if (embedded === 0 && failed.length >= patience && first !== undefined)
      throw new Error(`the model takes no document; the first it refused is ${first.path}: ${first.reason}`);
  }
  return { embedded, failed };
};

interface Piecewise {
  readonly path: string;
  readonly hash: string;
  readonly chunks: readonly string[];
}

const embedPage = async (
  parts: EmbeddingParts,
  { embedder, space, signal }: RunOptions,
  page: readonly { readonly path: string; readonly hash: string }[],
): Promise<{ readonly embedded: number; readonly failed: readonly FailedDocument[] }> => {
  const documents: Piecewise[] = [];
  for (const { path, hash } of page) {
    const file = await scanFile(parts.source, { path, kind: 'file' });
    // Changed since the projections were level; the next run finds it under its new content.
    if (file.kind !== 'markdown' || file.hash !== hash) continue;
    const facts = documentFacts(file, parts.registry);
    documents.push({ path, hash, chunks: chunkText(facts.title, recordText(facts)) });
  }
  const vectors = await embedTexts(
    embedder,
    documents.flatMap(document => document.chunks),
    { signal },
  );
  const failed: FailedDocument[] = [];
  const whole: { readonly document: Piecewise; readonly vectors: readonly Float32Array[] }[] = [];
  let from = 0;
  for (const document of documents) {
    const own = vectors.slice(from, from + document.chunks.length);
    from += document.chunks.length;
    const reason = whyNot(own, space.dim);
    if (reason === null) whole.push({ document, vectors: own.map(({ vector }) => vector as Float32Array) });
    else failed.push({ path: document.path, reason });
  }
  if (whole.length > 0)
    await parts.projections.write(db => {
      for (const one of whole) storeVectors(db, space, one);
    });
  return { embedded: whole.length, failed };
};

const whyNot = (vectors: readonly EmbeddedText[], dim: number): string | null => {
  for (const result of vectors) {
    if (result.vector === null) return result.reason;
    if (result.vector.length !== dim) return `the model gave a vector of ${result.vector.length} numbers where ${dim} are expected`;
  }
  return null;
};

const storeVectors = (
  db: Parameters<Parameters<ProjectionView['write']>[0]>[0],
  { model, dim }: VectorSpace,
  { document, vectors }: { readonly document: Piecewise; readonly vectors: readonly Float32Array[] },
): void => {
  prepareVectorTables(db);
  const { path, hash } = document;
  // Also what another process wrote for the same content meanwhile: the answer is the same whoever was first.
  db.prepare('DELETE FROM embedding_vectors WHERE model = ? AND dim = ? AND path = ?').run(model, dim, path);
  const insert = db.prepare('INSERT INTO embedding_vectors (model, dim, path, hash, chunk, vector) VALUES (?, ?, ?, ?, ?, ?)');
  for (const [chunk, vector] of vectors.entries()) insert.run(model, dim, path, hash, chunk, vectorToBlob(vector));
};
