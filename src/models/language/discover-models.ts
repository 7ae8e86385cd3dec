import { readBounded } from '../read-bounded.ts';

/** An OpenAI-compatible endpoint that answers on this machine. */
export interface FoundEndpoint {
  /** Whose usual port it is; what answers may be something else. */
  readonly usually: string;
  readonly base_url: string;
  readonly models: readonly string[];
}

const usualPorts = [
  ['Ollama', 11434],
  ['LM Studio', 1234],
  ['llama.cpp', 8080],
  ['vLLM', 8000],
] as const;

/** Asks the usual ports of this machine for models. What is found is offered to a person and never used by itself. No key is sent. */
export const discoverModels = async (
  options: { readonly ports?: readonly (readonly [string, number])[]; readonly timeoutMs?: number } = {},
): Promise<readonly FoundEndpoint[]> => {
  const { ports = usualPorts, timeoutMs = 800 } = options;
  const found = await Promise.all(ports.map(([usually, port]) => ask(usually, `http://127.0.0.1:${port}/v1`, timeoutMs)));
  return found.filter(endpoint => endpoint !== null);
};

const ask = async (usually: string, base_url: string, timeoutMs: number): Promise<FoundEndpoint | null> => {
  try {
    const response = await fetch(`${base_url}/models`, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) {
      await response.body?.cancel();
      return null;
    }
    const models = modelsIn(JSON.parse(await readBounded(response, 1024 * 1024)));
    return models === null ? null : { usually, base_url, models };
  } catch {
    // Nothing listens there, or something that is no such endpoint.
    return null;
  }
};

const modelsIn = (value: unknown): readonly string[] | null => {
  const data = typeof value === 'object' && value !== null && 'data' in value ? value.data : null;
  if (!Array.isArray(data)) return null;
  return data
    .map((row: unknown) => (typeof row === 'object' && row !== null && 'id' in row ? row.id : null))
    .filter((id): id is string => typeof id === 'string' && id !== '' && id.length <= 200)
    .slice(0, 100);
};
