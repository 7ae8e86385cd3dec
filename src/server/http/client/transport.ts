import { SheafError, toSheafError } from './client-error.ts';
import { backoff, pause } from './pause.ts';

/** Which server, as whom, and how patiently. */
export interface ClientOptions {
  /** Where the server is: `http://127.0.0.1:4177`. Default: where this page comes from. */
  readonly endpoint?: string;
  /** The bearer token, or how to get the current one; it travels in no URL and is kept nowhere else. */
  readonly token: string | (() => string | Promise<string>);
  /** The workspace of the vault; asked from the server when absent. */
  readonly workspaceId?: string;
  /** How often a request is made at most when the network or the server is away. Default 5. */
  readonly attempts?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: (url: string, init?: RequestInit) => Promise<Response>;
}

/** What every call takes. */
export interface CallOptions {
  /** Gives up waiting. What was sent may have been done all the same: the same envelope under the same key tells. */
  readonly signal?: AbortSignal | undefined;
}

interface Request extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  /** Whether making it twice is the same as once. Otherwise it is made again only when the server surely did not take it. */
  readonly repeatable: boolean;
}

/** An answer that was read to its end. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Requests with the token, tried again where that is right. */
export interface Transport {
  /** Gives answers of every status but those that are tried again. Throws what `fetch` throws when the last attempt fails. */
  send(request: Request): Promise<Answer>;
  /** As `send`, for calls that answer a value: any failure is thrown as `SheafError`. */
  call<T>(request: Request): Promise<T>;
  /** One request, answered as a stream. */
  open(request: Request): Promise<Response>;
  readonly attempts: number;
}

const retryFirstMs = 200;
const retryMostMs = 5_000;

export const createTransport = (options: ClientOptions): Transport => {
  const { attempts = 5, token } = options;
  // Bound to nothing: browsers refuse a fetch that is called as a method of something else.
  const fetchNow = options.fetch ?? ((url, init) => fetch(url, init));
  const endpoint = (options.endpoint ?? pageOrigin()).replace(/\/+$/, '');

  const open = async ({ method = 'GET', path, query = {}, headers = {}, body, signal }: Request): Promise<Response> => {
    const bearer = typeof token === 'string' ? token : await token();
    const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return fetchNow(`${endpoint}${path}${queryText(query)}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...Object.fromEntries(given) },
      // The token is all there is.
      credentials: 'omit',
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  };

  const send = async (request: Request): Promise<Answer> => {
    for (let attempt = 0; ; attempt += 1) {
      const last = attempt + 1 >= attempts;
      let wait = backoff(attempt, retryFirstMs, retryMostMs);
      try {
        const response = await open(request);
        const body = parseBody(await response.text());
        const again = response.status === 429 || response.status === 503 || (request.repeatable && [502, 504].includes(response.status));
        if (!again || last) return { status: response.status, body };
        wait = Math.max(wait, Math.min(Number(response.headers.get('retry-after')) || 0, 60) * 1000);
      } catch (error) {
        if (last || !request.repeatable || request.signal?.aborted === true) throw error;
      }
      await pause(wait, request.signal);
    }
  };

  return {
    attempts,
    open,
    send,
    async call<T>(request: Request): Promise<T> {
      const { status, body } = await send(request);
      if (status < 200 || status > 299) throw toSheafError(status, body);
      return body as T;
    },
  };
};

const queryText = (query: Readonly<Record<string, string | number | undefined>>): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string | number] => entry[1] !== undefined);
  const text = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return text === '' ? '' : `?${text}`;
};

const parseBody = (text: string): unknown => {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const pageOrigin = (): string => {
  const { location } = globalThis as { readonly location?: { readonly origin?: string } };
  if (location?.origin !== undefined && location.origin !== 'null') return location.origin;
  throw new SheafError('invalid_request', 'Outside a page the client needs an endpoint, such as http://127.0.0.1:4177.', { status: 0 });
};
