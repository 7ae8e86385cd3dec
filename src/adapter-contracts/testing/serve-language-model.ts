import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PlannedTurn } from './language-model-contract.ts';
import type { ForcedAnswer } from './serve-embedder.ts';

/** One request that a served model got. */
export interface ServedModelRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ServedLanguageModel {
  /** As `--base-url` takes it. */
  readonly baseUrl: string;
  readonly requests: readonly ServedModelRequest[];
  close(): Promise<void>;
}

/**
 * Serves planned turns, one for each request, on loopback as an OpenAI-compatible or as Anthropic's endpoint, for tests and guides; the last turn repeats.
 * A turn may be a forced answer, to play a broken endpoint.
 */
export const serveLanguageModel = async (
  protocol: 'openai-compatible' | 'anthropic',
  turns: readonly (PlannedTurn | ForcedAnswer)[],
): Promise<ServedLanguageModel> => {
  const requests: ServedModelRequest[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const text = await bodyOf(incoming);
      const body = (text === '' ? {} : JSON.parse(text)) as ServedModelRequest['body'];
      requests.push({ url: incoming.url ?? '', headers: incoming.headers, body });
      const turn = turns[Math.min(requests.length, turns.length) - 1] ?? {};
      if ('hang' in turn && turn.hang === true) return;
      const forced = 'body' in turn || 'status' in turn ? turn : null;
      response.writeHead(forced?.status ?? 200, { 'content-type': 'application/json', ...forced?.headers });
      const answer = protocol === 'anthropic' ? anthropicAnswer : openAiAnswer;
      response.end(forced === null ? JSON.stringify(answer(turn as PlannedTurn, requests.length)) : (forced.body ?? '{}'));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
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

const openAiAnswer = ({ text = '', calls = [], cut = false }: PlannedTurn, count: number): object => ({
  id: `chat-${count}`,
  object: 'chat.completion',
  created: 1,
  model: 'planned',
  choices: [
    {
      index: 0,
      finish_reason: cut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
      message: {
        role: 'assistant',
        content: text,
        ...(calls.length === 0
          ? {}
          : {
              tool_calls: calls.map((call, index) => ({
                id: `call-${count}-${index}`,
                type: 'function',
                function: { name: call.name, arguments: call.raw ?? JSON.stringify(call.arguments) },
              })),
            }),
      },
    },
  ],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
});

const anthropicAnswer = ({ text = '', calls = [], cut = false }: PlannedTurn, count: number): object => ({
  id: `msg-${count}`,
  type: 'message',
  role: 'assistant',
  model: 'planned',
  content: [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map((call, index) => ({ type: 'tool_use', id: `call-${count}-${index}`, name: call.name, input: call.arguments })),
  ],
  stop_reason: cut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 7 },
});

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};
