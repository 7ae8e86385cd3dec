import type { Embedder } from '#adapter-contracts';
import { reasonOf } from '#errors';
import type { EndpointSettings } from './embedder-settings.ts';
import { readEmbeddingsReply } from './embeddings-reply.ts';
import { modelIdentity } from './model-identity.ts';
import { readModelKey } from './model-key.ts';
import { type PostOptions, postJson } from './post-json.ts';

interface EndpointOptions extends Pick<PostOptions, 'pause'> {
  readonly environment?: NodeJS.ProcessEnv;
}

/** Room for the largest vectors in use, written as decimal numbers. */
const bytesPerText = 256 * 1024;

/**
 * An embedding model behind an OpenAI-compatible endpoint: Ollama, llama.cpp, LM Studio, vLLM, or a hosted one (§11.3).
 *
 * @example createEndpointEmbedder(parseEmbedderSettings('{"kind":"endpoint","base_url":"http://127.0.0.1:11434/v1","model":"bge-m3"}', 'embedder.json'))
 */
export const createEndpointEmbedder = (settings: EndpointSettings, options: EndpointOptions = {}): Embedder => {
  const url = new URL(`${settings.base_url.replace(/\/+$/, '')}/embeddings`);
  const environment = options.environment ?? process.env;
  let dimension = settings.dimension;
  return {
    model: modelIdentity(settings.model, settings),
    get dimension() {
      return dimension;
    },
    batchSize: settings.batch_size,
    async embed(texts, { purpose, signal }) {
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      const prefix = purpose === 'query' ? settings.query_prefix : settings.document_prefix;
      const body = JSON.stringify({
        model: settings.model,
        input: texts.map(text => `${prefix}${text.toWellFormed()}`),
        encoding_format: 'float',
        ...(settings.dimension === null ? {} : { dimensions: settings.dimension }),
      });
      const reply = await postJson(url, body, {
        key: readModelKey(settings.key, url, environment),
        timeoutMs: settings.timeout_seconds * 1000,
        maxBytes: 1024 * 1024 + texts.length * bytesPerText,
        signal,
        pause: options.pause,
      });
      const vectors = readReply(url, reply, { texts: texts.length, dimension });
      dimension ??= vectors[0]?.length ?? null;
      return vectors;
    },
  };
};

const readReply = (url: URL, reply: string, expected: Parameters<typeof readEmbeddingsReply>[1]): readonly Float32Array[] => {
  try {
    return readEmbeddingsReply(reply, expected);
  } catch (error) {
    throw new Error(`${url.href} ${reasonOf(error)}`);
  }
};
