import { ModelError } from '#adapter-contracts';
import { reasonOf } from '#errors';
import { quotable } from '../model-key.ts';
import { readBounded } from '../read-bounded.ts';

/** One request to a model's endpoint. */
export interface GuardedRequest {
  /** The only origin that is asked. */
  readonly origin: string;
  /** The header that carries the key, in lower case, and its value; null = no key. */
  readonly credential: { readonly header: string; readonly value: string } | null;
  /** The key alone; nothing that repeats a part of it is quoted. */
  readonly key: string | null;
  /** Texts of the prompt; nothing that repeats a part of them is quoted. */
  readonly prompt: readonly string[];
  readonly timeoutMs: number;
}

/** More than any model writes in one turn. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** Headers that say who is asking. The library fills some from the environment, where keys of other programs may lie. */
const identifying = ['authorization', 'x-api-key', 'cookie', 'proxy-authorization'];

/**
 * A `fetch` for the AI library that asks one origin, follows no redirect, sends the configured key and no other, reads a bounded answer, and turns every
 * answer but a good one into a `ModelError` that holds neither key nor prompt.
 */
export const guardedFetch =
  (request: GuardedRequest): typeof fetch =>
  async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== request.origin) throw new ModelError(`${url.origin} is not the endpoint of this model`, { temporary: false });
    const headers = new Headers(init?.headers);
    for (const header of identifying) headers.delete(header);
    if (request.credential !== null) headers.set(request.credential.header, request.credential.value);
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = init?.signal == null ? timeout : AbortSignal.any([init.signal, timeout]);
    try {
      const response = await fetch(url, { ...init, headers, signal, redirect: 'manual' });
      if (!response.ok) throw await refusal(url, response, request);
      const text = await readBounded(response, maxAnswerBytes);
      return new Response(text, { status: response.status, headers: { 'content-type': 'application/json' } });
    } catch (error) {
      if (error instanceof ModelError) throw error;
      if (init?.signal?.aborted === true) throw new ModelError('the request was stopped', { temporary: true });
      if (timeout.aborted) throw new ModelError(`${url.href} did not answer within ${request.timeoutMs / 1000} s`, { temporary: true });
      throw new ModelError(`${url.href} cannot be reached: ${withoutPrompt(networkReason(error), request)}`, { temporary: true });
    }
  };

const refusal = async (url: URL, response: Response, request: GuardedRequest): Promise<ModelError> => {
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    return new ModelError(`${url.href} redirects elsewhere (${status}), which is not followed: set the address it leads to`, {
      temporary: true,
    });
  }
  const said = withoutPrompt(saidIn(await shortText(response)), request);
  const text = `${url.href} answered ${status}${said === '' ? '' : `: ${said}`}`;
  // Only what refuses this very request is final. A wrong key, address or model is a setting that a person mends, and the work is still to be done then.
  const temporary = status >= 500 || [401, 402, 403, 404, 407, 408, 409, 425, 429].includes(status);
  return new ModelError(text, { temporary, retryAfterMs: temporary ? retryAfter(response) : null });
};

const shortText = async (response: Response): Promise<string> => {
  try {
    return await readBounded(response, 64 * 1024);
  } catch {
    return '';
  }
};

/** The message inside an error of a provider; the text itself when it is short and no such error. */
const saidIn = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text);
    const error = isObject(value) && isObject(value.error) ? value.error : value;
    const message = isObject(error) ? (error.message ?? error.error) : null;
    return typeof message === 'string' ? message : '';
  } catch {
    // Pages of HTML tell nothing.
    return text.trimStart().startsWith('<') ? '' : text;
  }
};

const pieceLength = 24;

/** What an endpoint said, for an error message; withheld where it repeats the key or the prompt, even a part of it. */
const withoutPrompt = (text: string, { key, prompt }: GuardedRequest): string => {
  const line = quotable(text, key);
  const bare = line.replace(/…$/u, '');
  for (let start = 0; start + pieceLength <= bare.length; start += 1) {
    const piece = bare.slice(start, start + pieceLength);
    if (prompt.some(part => part.replaceAll(/[\p{C}\s]+/gu, ' ').includes(piece))) return '';
  }
  return line;
};

const retryAfter = (response: Response): number | null => {
  const header = response.headers.get('retry-after');
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 24 * 3600) * 1000 : null;
};

/** `fetch` itself only says that it failed; the cause says why. */
const networkReason = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code === '' ? reasonOf(cause ?? error) : code;
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
