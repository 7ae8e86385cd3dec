import type { ModelMessage as LibraryMessage, LanguageModel as LibraryModel, ToolSet } from 'ai';
import { type LanguageModel, ModelError, type ModelMessage, type ModelRequest, type ModelTurn } from '#adapter-contracts';
import { type GuardedRequest, guardedFetch } from './guarded-fetch.ts';
import type { HostedModelSetting, ModelKeySource } from './language-model-settings.ts';

/** Gives the text of a key; throws an Error that names where it should be. */
export type ReadKey = (source: ModelKeySource) => string;

/**
 * A language model behind an OpenAI-compatible endpoint or Anthropic's: one turn for each call, without a loop, retries or repairs. The library is loaded
 * with the first turn.
 *
 * @example createHostedModel('local', { provider: 'openai-compatible', base_url: 'http://127.0.0.1:11434/v1', model: 'qwen3', key: null, timeout_seconds: 120, for: [] }, readKey)
 */
export const createHostedModel = (name: string, setting: HostedModelSetting, readKey: ReadKey): LanguageModel => ({
  name,
  model: setting.model,
  scripted: false,
  async generate(request) {
    const key = keyFor(setting, readKey);
    const prompt = [request.system, ...request.messages.flatMap(textsOf)];
    const guard: GuardedRequest = {
      origin: new URL(setting.base_url).origin,
      credential: key === null ? null : credentialOf(setting, key),
      key,
      prompt,
      timeoutMs: setting.timeout_seconds * 1000,
    };
    try {
      return await takeTurn(await libraryModel(setting, guardedFetch(guard)), request);
    } catch (error) {
      throw error instanceof ModelError ? error : await unexpected(setting, request, error);
    }
  },
});

const keyFor = ({ key, base_url }: HostedModelSetting, readKey: ReadKey): string | null => {
  if (key === null) return null;
  // The settings are checked when they are read; a key that goes elsewhere is worth asking twice.
  if (key.origin !== new URL(base_url).origin)
    throw new ModelError(`the key was entered for ${key.origin} and is sent nowhere else`, { temporary: false });
  let value: string;
  try {
    value = readKey(key);
  } catch (error) {
    throw new ModelError((error as Error).message, { temporary: true });
  }
  // Headers cannot carry anything else, and the error of the HTTP library would show it.
  if (!/^[\x21-\x7e]+$/.test(value)) throw new ModelError('the key holds characters that no header can carry', { temporary: false });
  return value;
};

const credentialOf = ({ provider }: HostedModelSetting, key: string): { readonly header: string; readonly value: string } =>
  provider === 'anthropic' ? { header: 'x-api-key', value: key } : { header: 'authorization', value: `Bearer ${key}` };

/** A model object, never a name: a name would go to the library's own gateway in the cloud. */
const libraryModel = async ({ provider, base_url, model }: HostedModelSetting, fetch: typeof globalThis.fetch): Promise<LibraryModel> => {
  const baseURL = base_url.replace(/\/+$/, '');
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    // Without a key of ours the library would read one from the environment; the fetch above replaces it in any case.
    return createAnthropic({ baseURL, apiKey: 'none', fetch })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({ name: 'endpoint', baseURL, fetch, includeUsage: true })(model);
};

const takeTurn = async (model: LibraryModel, request: ModelRequest): Promise<ModelTurn> => {
  const { generateText, jsonSchema } = await import('ai');
  // The library writes its remarks to the terminal unless this global says otherwise; no setting of a call does.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const tools: ToolSet = Object.fromEntries(
    request.tools.map(({ name, description, input }) => [name, { description, inputSchema: jsonSchema(input) }]),
  );
  const result = await generateText({
    model,
    system: request.system,
    messages: request.messages.map(toLibraryMessage),
    ...(request.tools.length === 0 ? {} : { tools }),
    maxOutputTokens: request.maxOutputTokens,
    maxRetries: 0,
    ...(request.signal === undefined ? {} : { abortSignal: request.signal }),
  });
  const finish = finishOf(result.finishReason);
  return {
    text: result.text,
    // A call whose arguments may have been cut is no call.
    calls:
      finish === 'length'
        ? []
        : result.toolCalls.map(call => ({ id: call.toolCallId, name: call.toolName, arguments: call.input as unknown })),
    finish,
    usage: { inputTokens: result.usage.inputTokens ?? null, outputTokens: result.usage.outputTokens ?? null },
  };
};

const finishOf = (reason: string): ModelTurn['finish'] => {
  if (reason === 'stop' || reason === 'length') return reason;
  return reason === 'tool-calls' ? 'tool_calls' : 'other';
};

const toLibraryMessage = (message: ModelMessage): LibraryMessage => {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'tool') {
    const output = { type: message.failed ? 'error-text' : 'text', value: message.text } as const;
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId: message.callId, toolName: message.name, output }] };
  }
  return {
    role: 'assistant',
    content: [
      ...(message.text === '' ? [] : [{ type: 'text', text: message.text } as const]),
      ...message.calls.map(
        call => ({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: inputOf(call.arguments) }) as const,
      ),
    ],
  };
};

/** Endpoints refuse a history whose arguments are no object, although they wrote it. */
const inputOf = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? given : { invalid: given };

const textsOf = (message: ModelMessage): readonly string[] =>
  message.role === 'assistant' ? [message.text, ...message.calls.map(call => JSON.stringify(call.arguments) ?? '')] : [message.text];

/** The library's own errors hold the whole request, so that none of their text or causes is passed on. */
const unexpected = async ({ base_url }: HostedModelSetting, { signal }: ModelRequest, error: unknown): Promise<ModelError> => {
  if (signal?.aborted === true) return new ModelError('the request was stopped', { temporary: true });
  const { APICallError, NoObjectGeneratedError } = await import('ai');
  const isAnswer = APICallError.isInstance(error) || NoObjectGeneratedError.isInstance(error);
  const kind = error instanceof Error ? error.name : typeof error;
  return new ModelError(
    isAnswer ? `${base_url} answered something that is no turn of a model` : `${base_url}: the turn could not be read (${kind})`,
    { temporary: true },
  );
};
