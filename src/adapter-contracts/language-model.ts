/** A tool that a model may ask for. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** A part of a conversation with a model. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly text: string; readonly failed: boolean };

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model gave them; not checked against the tool's schema yet. */
  readonly arguments: unknown;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal;
}

export interface ModelTurn {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  /** `length`: the output was cut at its limit and must not be mended. */
  readonly finish: 'stop' | 'tool_calls' | 'length' | 'other';
  /** As the provider counted; null where it does not say. */
  readonly usage: { readonly inputTokens: number | null; readonly outputTokens: number | null };
}

/** Why a model gave no turn; `temporary` failures are worth another try later. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly temporary: boolean;
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { readonly temporary: boolean; readonly retryAfterMs?: number | null; readonly cause?: unknown }) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.temporary = options.temporary;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** One configured language model: a single turn, without a loop and without retries. */
export interface LanguageModel {
  /** The name under which it was set up on this machine. */
  readonly name: string;
  /** What the provider calls it. */
  readonly model: string;
  /** True for a model that plays back a script; whatever shows its words says so. */
  readonly scripted: boolean;
  /** Rejects with `ModelError`, whose message never holds a key or a prompt. */
  generate(request: ModelRequest): Promise<ModelTurn>;
}
