import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Embedder, EmbedderUnavailableError } from '#adapter-contracts';
import { reasonOf } from '#errors';
import type { LocalSettings } from './embedder-settings.ts';
import { localModelRevision } from './local-model-revision.ts';
import { modelIdentity } from './model-identity.ts';
import { loadTransformers } from './transformers-library.ts';
import { unitVector } from './unit-vector.ts';

/** Files of weights, best precision first, and how transformers.js names it. */
const weights = [
  ['model.onnx', 'fp32'],
  ['model_fp16.onnx', 'fp16'],
  ['model_quantized.onnx', 'q8'],
  ['model_int8.onnx', 'int8'],
  ['model_q4.onnx', 'q4'],
] as const;

interface Tensor {
  readonly data: ArrayLike<number>;
  readonly dims: readonly number[];
}

type Extract = (texts: readonly string[], options: { readonly pooling: string; readonly normalize: boolean }) => Promise<Tensor>;

/**
 * An embedding model in a directory of this machine, run by transformers.js (§11.3). Nothing is ever downloaded, and no text leaves the machine. The
 * library is loaded with the first text, so that commands which embed nothing neither need nor wait for it.
 *
 * @example createLocalEmbedder(parseEmbedderSettings('{"kind":"local","directory":"/models/multilingual-e5-small"}', 'embedder.json'))
 */
export const createLocalEmbedder = (settings: LocalSettings): Embedder => {
  const directory = resolve(settings.directory);
  const dtype = settings.dtype ?? bestPrecision(directory);
  const model = modelIdentity(`${basename(directory)}@${localModelRevision(directory, dtype)}`, settings);
  let dimension: number | null = null;
  let loading: Promise<Extract> | null = null;
  const extractor = async (): Promise<Extract> => {
    loading ??= load(directory, dtype, settings.library);
    try {
      return await loading;
    } catch (error) {
      // The next call tries again: the library may have been installed meanwhile.
      loading = null;
      throw error;
    }
  };
  return {
    model,
    get dimension() {
      return dimension;
    },
    batchSize: settings.batch_size,
    async embed(texts, { purpose, signal }) {
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      const prefix = purpose === 'query' ? settings.query_prefix : settings.document_prefix;
      const extract = await extractor();
      signal?.throwIfAborted();
      const tensor = await extract(
        texts.map(text => `${prefix}${text.toWellFormed()}`),
        { pooling: settings.pooling, normalize: true },
      );
      // The library cannot be interrupted; what it made after the abort is dropped.
      signal?.throwIfAborted();
      const vectors = rowsOf(tensor, { directory, texts: texts.length, dimension });
      dimension ??= vectors[0]?.length ?? null;
      return vectors;
    },
  };
};

const bestPrecision = (directory: string): string => {
  const files = existsSync(join(directory, 'onnx')) ? readdirSync(join(directory, 'onnx')) : [];
  const found = weights.find(([file]) => files.includes(file));
  const missing = ['config.json', 'tokenizer.json'].filter(file => !existsSync(join(directory, file)));
  if (missing.length === 0 && found !== undefined) return found[1];
  const lacks = missing.length > 0 ? missing.join(' and ') : 'weights such as onnx/model.onnx';
  throw new EmbedderUnavailableError(`'${directory}' holds no model that transformers.js can run: it lacks ${lacks}`);
};

const load = async (directory: string, dtype: string, library: string | null): Promise<Extract> => {
  const { pipeline, env } = await loadTransformers(library);
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = dirname(directory);
  try {
    return (await pipeline('feature-extraction', basename(directory), { device: 'cpu', dtype, local_files_only: true })) as Extract;
  } catch (error) {
    throw new EmbedderUnavailableError(`the model in '${directory}' cannot be loaded: ${reasonOf(error)}`, { cause: error });
  }
};

const rowsOf = (
  { data, dims }: Tensor,
  expected: { readonly directory: string; readonly texts: number; readonly dimension: number | null },
): readonly Float32Array[] => {
  const [count, length] = dims;
  const fits = dims.length === 2 && count === expected.texts && length !== undefined && data.length === count * length;
  if (!fits || (expected.dimension !== null && length !== expected.dimension)) {
    throw new Error(
      `the model in '${expected.directory}' gave a result of shape [${dims.join(', ')}] for ${expected.texts} texts${expected.dimension === null ? '' : ` of ${expected.dimension} numbers`}`,
    );
  }
  return Array.from({ length: count }, (_, row) => {
    try {
      return unitVector(Array.prototype.slice.call(data, row * length, (row + 1) * length) as number[]);
    } catch (error) {
      throw new Error(`the model in '${expected.directory}' gave, for text ${row + 1}, ${reasonOf(error)}`);
    }
  });
};
