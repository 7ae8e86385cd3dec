import type { Embedder } from '#adapter-contracts';
import { VaultError } from '#errors';
import type { SemanticHit } from '../semantic-lane.ts';
import { createAskModel } from './ask-model.ts';
import { countDocuments, createLiveTest, removeStaleVectors, type VectorSpace } from './embeddable-documents.ts';
import { type EmbeddingParts, runEmbedding } from './embedding-run.ts';
import type { EmbedderInForce, EmbeddingReport, Embeddings, EmbedOptions } from './embeddings.ts';
import { createStateMemory, type IndexState, readIndexState, stateWithoutModel } from './index-state.ts';
import { createKeeper } from './keep-level.ts';
import { askProbe, isKnownModel, keepProbe } from './model-probe.ts';
import { rankVectors } from './rank-vectors.ts';
import { tryEmbedder } from './try-embedder.ts';
import { createVectorCache } from './vector-cache.ts';
import { hasVectorTables, prepareVectorTables } from './vector-tables.ts';

interface EmbeddingsOptions extends EmbeddingParts {
  /** Asked each time, so that a changed setting takes effect at once. */
  readonly current: () => EmbedderInForce;
}

/** Characters of a question that are embedded; nobody asks more, and models read no more. */
const longestQuery = 4000;

/**
 * Search by meaning over vectors that lie beside the projections (§11.3). Exactly one implementation for every model: exact cosine over all vectors of
 * one space, in memory.
 */
export const createEmbeddings = (options: EmbeddingsOptions): Embeddings => {
  const { projections, current } = options;
  const cache = createVectorCache();
  const remembered = createStateMemory<IndexState>();
  const askModel = createAskModel();
  /** Whether the model was compared with the one that made the index, once for each opening of a model. */
  const probed = new WeakMap<Embedder, { readonly probe: Float32Array; readonly exchanged: boolean }>();

  const indexState = async (inForce: EmbedderInForce): Promise<IndexState> => {
    const { embedder, embedsPrivate } = inForce;
    if (embedder === null) return stateWithoutModel(inForce);
    return projections.read(db => {
      const exchanged = probed.get(embedder)?.exchanged === true;
      const key = JSON.stringify([embedder.model, embedder.dimension, embedsPrivate, exchanged]);
      return remembered(db, key, () => readIndexState(db, { embedder, embedsPrivate }, exchanged));
    });
  };

  /** Whether the model is the one that made the index; asks it once. */
  const isExchanged = async (embedder: Embedder, signal: AbortSignal | undefined): Promise<boolean> => {
    const known = probed.get(embedder);
    if (known !== undefined) return known.exchanged;
    const probe = await askProbe(embedder, signal);
    const space = { model: embedder.model, dim: probe.length };
    const exchanged = !(await projections.read(db => isKnownModel(db, space, probe)));
    probed.set(embedder, { probe, exchanged });
    return exchanged;
  };

  const begin = async (embedder: Embedder, inForce: EmbedderInForce, { rebuild = false, signal }: EmbedOptions): Promise<VectorSpace> => {
    const probe = await askProbe(embedder, signal);
    const space = { model: embedder.model, dim: probe.length };
    await projections.write(db => {
      prepareVectorTables(db);
      const anew = rebuild || !isKnownModel(db, space, probe);
      if (anew) db.prepare('DELETE FROM embedding_vectors WHERE model = ? AND dim = ?').run(space.model, space.dim);
      keepProbe(db, space, probe, anew);
      // Withdrawn consent counts at once, not when everything else is done.
      if (!inForce.embedsPrivate) removePrivateVectors(db);
    });
    probed.set(embedder, { probe, exchanged: false });
    return space;
  };

  /** In the background the model is not asked for its sentence again with every changed document. */
  const goOn = async (embedder: Embedder, inForce: EmbedderInForce, asked: EmbedOptions): Promise<VectorSpace> => {
    const known = probed.get(embedder);
    const isKept = await projections.read(hasVectorTables);
    return known === undefined || !isKept ? begin(embedder, inForce, asked) : { model: embedder.model, dim: known.probe.length };
  };

  const embed = async (asked: EmbedOptions = {}, start: typeof begin = begin): Promise<EmbeddingReport> => {
    const { signal } = asked;
    const inForce = current();
    const embedder = requireEmbedder(inForce);
    await projections.level(signal === undefined ? {} : { signal });
    const space = await start(embedder, inForce, asked);
    const { embedsPrivate } = inForce;
    const limit = asked.limit ?? Number.POSITIVE_INFINITY;
    const before = await projections.read(db => countDocuments(db, space, embedsPrivate));
    let done = before.total - before.missing;
    asked.onProgress?.({ done, total: before.total });
    const { embedded, failed } = await runEmbedding(options, {
      embedder,
      space,
      embedsPrivate,
      limit,
      signal,
      onDocuments: count => {
        done += count;
        asked.onProgress?.({ done, total: before.total });
      },
    });
    const after = await projections.read(db => countDocuments(db, space, embedsPrivate));
    // Vectors of another model are kept until nothing is missing, in case somebody goes back to it.
    if (after.missing === failed.length) await projections.write(db => removeStaleVectors(db, space, embedsPrivate));
    return { model: space.model, dimension: space.dim, embedded, ...after, failed };
  };

  const nearest = async (
    query: string,
    { limit, allowed, signal }: { readonly limit: number; readonly allowed: (path: string) => boolean; readonly signal?: AbortSignal },
  ): Promise<readonly SemanticHit[]> => {
    const inForce = current();
    const { embedder } = inForce;
    const text = query.slice(0, longestQuery).toWellFormed().trim();
    if (embedder === null || text === '' || limit < 1) return [];
    const [vector] = await askModel(embedder, signal, async patience => {
      await isExchanged(embedder, patience);
      return embedder.embed([text], { purpose: 'query', signal: patience });
    });
    // After the model was asked, because only now its dimension is certain.
    const { space, state } = await indexState(inForce);
    if (space === null || vector === undefined || vector.length !== space.dim)
      throw new Error(state.state === 'reindex_needed' ? state.reason : 'the index does not fit the model');
    return projections.read(db => {
      const isLive = createLiveTest(db, inForce.embedsPrivate);
      return rankVectors(cache.read(db, space), vector, { limit, accept: ({ path, hash }) => allowed(path) && isLive(path, hash) });
    });
  };

  const keeper = createKeeper({
    projections,
    current,
    state: async () => (await indexState(current())).state,
    embed: asked => embed(asked, goOn),
  });
  return {
    state: async () => (await indexState(current())).state,
    async overview() {
      await projections.level();
      const inForce = current();
      const documents = await projections.read(db => countDocuments(db, null, inForce.embedsPrivate).total);
      return { ...inForce, state: (await indexState(inForce)).state, documents };
    },
    nearest,
    embed: asked => embed(asked),
    tryOut: signal => tryEmbedder(requireEmbedder(current()), signal),
    keepLevel: keeper.start,
    notices() {
      const { problem } = current();
      return problem === null ? keeper.notices() : [problem, ...keeper.notices()];
    },
  };
};

const requireEmbedder = ({ embedder, problem }: EmbedderInForce): Embedder => {
  if (embedder !== null) return embedder;
  const why = problem ?? 'No embedding model is set: `sheaf index embedder set --base-url URL --model NAME` names one.';
  throw new VaultError('invalid_request', {}, why);
};

const removePrivateVectors = (db: Parameters<typeof removeStaleVectors>[0]): void => {
  db.prepare(
    "DELETE FROM embedding_vectors WHERE EXISTS (SELECT 1 FROM graph_nodes n WHERE n.path = embedding_vectors.path AND n.portability <> 'structural')",
  ).run();
};
