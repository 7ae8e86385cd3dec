import { setTimeout as delay } from 'node:timers/promises';
import { EmbedderUnavailableError } from '#adapter-contracts';
import { reasonOf } from '#errors';
import { quotable } from './model-key.ts';
import { readBounded } from './read-bounded.ts';

export interface PostOptions {
  readonly key: string | null;
  readonly timeoutMs: number;
  /** Bytes that an answer may have. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
  /** How to wait between attempts; tests do not. */
  readonly pause?: ((milliseconds: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

/** Attempts in all. */
const attempts = 4;
const longestPauseMs = 30_000;

/**
 * Posts JSON to a model's endpoint and gives the text of its answer. Tries again, waiting longer each time, when the endpoint says that it is busy or
 * broken (429, 5xx); nothing else is repeated. Redirects are not followed: they could lead the text and the key elsewhere. Throws
 * `EmbedderUnavailableError` when the endpoint does not answer or not to this configuration, `Error` when it refuses this body.
 */
export const postJson = async (url: URL, body: string, options: PostOptions): Promise<string> => {
  const pause = options.pause ?? ((milliseconds, signal) => delay(milliseconds, undefined, signal === undefined ? {} : { signal }));
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    const answer = await attemptOnce(url, body, options);
    if (answer.text !== null) return answer.text;
    if (attempt === attempts) throw answer.error;
    await pause(Math.min(longestPauseMs, answer.retryAfterMs ?? backOff(attempt)), options.signal);
  }
};

/** Half a second, doubled each time, spread so that many callers do not come back together. */
const backOff = (attempt: number): number => 500 * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);

type Attempt = { readonly text: string } | { readonly text: null; readonly error: Error; readonly retryAfterMs: number | null };

const attemptOnce = async (url: URL, body: string, { key, timeoutMs, maxBytes, signal }: PostOptions): Promise<Attempt> => {
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      body,
      signal: either,
    });
    if (response.ok) return { text: await readBounded(response, maxBytes) };
    return await refusal(url, response, key);
  } catch (error) {
    if (error instanceof EmbedderUnavailableError || error instanceof RefusedBodyError) throw error;
    signal?.throwIfAborted();
    if (timeout.aborted) throw new EmbedderUnavailableError(`${url.href} did not answer within ${timeoutMs / 1000} s`);
    throw new EmbedderUnavailableError(`${url.href} cannot be reached: ${quotable(networkReason(error), key)}`);
  }
};

/** The endpoint answered and does not want this body. */
class RefusedBodyError extends Error {
  override readonly name = 'RefusedBodyError';
}

const refusal = async (url: URL, response: Response, key: string | null): Promise<Attempt> => {
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    throw new EmbedderUnavailableError(`${url.href} redirects elsewhere (${status}), which is not followed: set the address it leads to`);
  }
  const said = quotable(await shortText(response), key);
  const text = `${url.href} answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 429 || status >= 500) return { text: null, error: new EmbedderUnavailableError(text), retryAfterMs: retryAfter(response) };
  // About these texts (too long, not accepted), so that others may still do.
  if (status === 400 || status === 413 || status === 422) throw new RefusedBodyError(text);
  throw new EmbedderUnavailableError(text);
};

const shortText = async (response: Response): Promise<string> => {
  try {
    return await readBounded(response, 64 * 1024);
  } catch {
    return '';
  }
};

const retryAfter = (response: Response): number | null => {
  const header = response.headers.get('retry-after');
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
};

/** `fetch` itself only says that it failed; the cause says why. */
const networkReason = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code === '' ? reasonOf(cause ?? error) : code;
};
