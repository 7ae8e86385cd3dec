import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Embedder } from '#adapter-contracts';

/** One request that a served embedder got. */
export interface EmbeddingRequest {
  readonly authorization: string | null;
  readonly body: { readonly model?: unknown; readonly input: readonly string[]; readonly dimensions?: unknown };
}

/** An answer in place of the embedder's own. */
export interface ForcedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Say nothing at all. */
  readonly hang?: boolean;
}

export interface ServedEmbedder {
  /** As `--base-url` takes it. */
  readonly baseUrl: string;
  readonly requests: readonly EmbeddingRequest[];
  close(): Promise<void>;
}

/** Serves an embedder on loopback as an OpenAI-compatible `/v1/embeddings` endpoint, for tests and guides. `answer` may play a broken one. */
export const serveEmbedder = async (
  embedder: Embedder,
  options: { readonly port?: number; readonly answer?: (request: EmbeddingRequest, count: number) => ForcedAnswer | null } = {},
): Promise<ServedEmbedder> => {
  const requests: EmbeddingRequest[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const request = {
        authorization: incoming.headers.authorization ?? null,
        body: JSON.parse(await bodyOf(incoming)) as EmbeddingRequest['body'],
      };
      requests.push(request);
      const forced = options.answer?.(request, requests.length) ?? null;
      if (forced?.hang === true) return;
      response.writeHead(forced?.status ?? 200, { 'content-type': 'application/json', ...forced?.headers });
      response.end(forced === null ? await answerOf(embedder, request) : (forced.body ?? '{}'));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const answerOf = async (embedder: Embedder, { body }: EmbeddingRequest): Promise<string> => {
  const vectors = await embedder.embed(body.input, { purpose: 'document' });
  const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: [...vector] }));
  return JSON.stringify({ object: 'list', model: embedder.model, data });
};

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};
