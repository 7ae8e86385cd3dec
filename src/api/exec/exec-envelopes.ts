import type { ExecuteContext, KernelResponse } from '#kernel';
import type { Vault } from '../vault.ts';
import { withoutHiddenText } from '../without-hidden-text.ts';
import { failureBody } from './failure-body.ts';
import type { JsonItem } from './json-item.ts';
import { type OrderedTask, runInOrder } from './ordered-runner.ts';

export interface ExecOptions {
  readonly principal: unknown;
  /** Asked instead of `principal` for each envelope: a stream may outlast the rights it began with. */
  readonly principalNow?: () => Promise<unknown>;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly emit: (response: KernelResponse) => Promise<void>;
}

/** Sends a stream of envelopes through the contract and emits one response each, in input order (readings: malformed lines). */
export const execEnvelopes = async (vault: Vault, items: AsyncIterable<JsonItem>, options: ExecOptions): Promise<void> => {
  async function* tasks(): AsyncGenerator<OrderedTask<KernelResponse>> {
    for await (const item of items) yield taskOf(vault, item, options);
  }
  await runInOrder(tasks(), options);
};

const taskOf = (vault: Vault, item: JsonItem, options: ExecOptions): OrderedTask<KernelResponse> => {
  if ('problem' in item) return refused(refusal('envelope', `line ${item.line}, column ${item.column}: ${item.problem}`, item));
  const request = unwrap(item.value);
  if ('issue' in request) return refused(refusal(request.field, `line ${item.line}: ${request.issue}`, { line: item.line, column: 1 }));
  const { envelope, context } = request;
  const run = async (): Promise<KernelResponse> => {
    const principal = options.principalNow === undefined ? options.principal : await options.principalNow();
    return withoutHiddenText(vault.registry, principal, envelope, await vault.execute(envelope, { principal, ...context }));
  };
  return { sharedNames: sharedNames(envelope), run };
};

const refused = (response: KernelResponse): OrderedTask<KernelResponse> => ({ sharedNames: [], run: async () => response });

type Unwrapped =
  | { readonly envelope: unknown; readonly context: Omit<ExecuteContext, 'principal'> }
  | { readonly field: string; readonly issue: string };

const wrapperMembers = ['envelope', 'if_match', 'correlation_id', 'causation_id'];

// `{"envelope": …}` carries what the host knows beside the envelope; no envelope has a member of that name.
const unwrap = (value: unknown): Unwrapped => {
  if (!isObject(value) || !Object.hasOwn(value, 'envelope')) return { envelope: value, context: {} };
  const unknown = Object.keys(value).find(name => !wrapperMembers.includes(name));
  if (unknown !== undefined)
    return { field: unknown, issue: `unknown member beside "envelope"; known are ${wrapperMembers.slice(1).join(', ')}` };
  const { envelope, if_match, correlation_id, causation_id } = value;
  if (if_match !== undefined && if_match !== null && typeof if_match !== 'string')
    return { field: 'if_match', issue: 'must be a hash, or null for "must not exist"' };
  const texts = { correlation_id, causation_id };
  for (const [field, text] of Object.entries(texts)) {
    if (text !== undefined && text !== null && (typeof text !== 'string' || text === ''))
      return { field, issue: 'must be a non-empty string' };
  }
  return {
    envelope,
    context: {
      ...(if_match === undefined ? {} : { ifMatch: if_match as string | null }),
      ...(typeof correlation_id === 'string' ? { correlationId: correlation_id } : {}),
      ...(typeof causation_id === 'string' ? { causationId: causation_id } : {}),
    },
  };
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

// Requests about one path, or under one key, must not overtake each other.
const sharedNames = (envelope: unknown): readonly string[] => {
  if (!isObject(envelope)) return [];
  const { workspace_id, path, idempotency_key } = envelope;
  return [
    ...(typeof path === 'string' ? [`path ${JSON.stringify([workspace_id, path])}`] : []),
    ...(typeof idempotency_key === 'string' ? [`key ${JSON.stringify([workspace_id, idempotency_key])}`] : []),
  ];
};

/** The refusal of text that holds no envelope at all. */
const refusal = (field: string, issue: string, { line, column }: { readonly line: number; readonly column: number }): KernelResponse =>
  failureBody('invalid_request', `${field}: ${issue}`, [{ field, issue, line, column }]);
