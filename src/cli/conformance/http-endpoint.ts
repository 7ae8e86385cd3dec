import { reasonOf } from '#errors';
import { CliError } from '../cli-error.ts';
import { outcomeOf } from './check-response.ts';
import type { JsonMap } from './json.ts';
import type { Context } from './scenario.ts';
import { statusOf } from './status-of.ts';

/** A host of the Operation Contract, reached over HTTP with one token. */
export interface HttpEndpoint {
  readonly workspaceId: string;
  /** Whom the token stands for. */
  readonly principalId: string;
  /** Sends an envelope, without a token when `anonymous`. Throws when the status is not the one that §6.5 gives the answer. */
  submit(envelope: unknown, context?: Context, options?: { readonly anonymous: boolean }): Promise<JsonMap>;
  /** A read; null when there is nothing that the token may read. */
  get(path: string): Promise<Response | null>;
}

/**
 * Gets to know a host: `GET /readyz` names the workspace it serves and as whom the token acts. The one-time link of `sheaf serve` brings the session of a
 * person with it, who alone may do everything. Throws with what the host answered when that fails.
 */
export const openHttpEndpoint = async (options: {
  readonly url: string;
  readonly token?: string;
  readonly signal?: AbortSignal;
}): Promise<HttpEndpoint> => {
  const { hash } = new URL(options.url);
  const base = options.url.slice(0, options.url.length - hash.length).replace(/\/+$/, '');
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    try {
      // A signal of its own for each request: `fetch` leaves its listener on a long-lived one.
      return await fetch(`${base}${path}`, {
        ...init,
        ...(options.signal === undefined ? {} : { signal: AbortSignal.any([options.signal]) }),
      });
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      throw new CliError('no_host', `no answer from ${base}: ${reasonOf(cause)}`, { cause: error });
    }
  };
  const key = new URLSearchParams(hash.slice(1)).get('k');
  const authorization = { authorization: `Bearer ${key === null ? options.token : await redeem(key, send)}` };
  const submit: HttpEndpoint['submit'] = async (envelope, context = {}, options = { anonymous: false }) => {
    const { anonymous } = options;
    const headers = { 'content-type': 'application/json', ...(anonymous ? {} : authorization), ...headersOf(context) };
    const answer = await send('/v1/envelopes', { method: 'POST', headers, body: JSON.stringify(envelope) });
    const body = (await answer.json()) as JsonMap;
    const expected = statusOf(outcomeOf(body));
    if (expected !== answer.status) throw new Error(`'${outcomeOf(body)}' came with status ${answer.status}, not ${expected}`);
    const asked = context.confirmation === undefined ? wantedConfirmation(body) : undefined;
    // A host may want a person to confirm what decides about rights (§6.6); the person who runs the suite confirms everything in it.
    return asked === undefined ? body : submit(envelope, { ...context, confirmation: asked }, options);
  };
  const get: HttpEndpoint['get'] = async path => {
    const answer = await send(path, { headers: authorization });
    if (answer.ok) return answer;
    if ([400, 403, 404].includes(answer.status)) return null;
    throw new CliError('no_host', `GET ${path} was answered with ${answer.status}: ${await reasonIn(answer)}`);
  };
  return { ...(await introduce(get)), submit, get };
};

const redeem = async (key: string, send: (path: string, init: RequestInit) => Promise<Response>): Promise<string> => {
  const headers = { 'content-type': 'application/json' };
  const answer = await send('/v1/session', { method: 'POST', headers, body: JSON.stringify({ key }) });
  if (!answer.ok) throw new CliError('no_host', await reasonIn(answer));
  return ((await answer.json()) as { readonly token: string }).token;
};

/** The message of the contract's body, or whatever else came. */
const reasonIn = async (answer: Response): Promise<string> => {
  const text = await answer.text();
  try {
    return (JSON.parse(text) as { readonly error: { readonly message: string } }).error.message;
  } catch {
    return text.slice(0, 500);
  }
};

const wantedConfirmation = (body: JsonMap): string | undefined => {
  const { code, message } = (body.error ?? {}) as JsonMap;
  if (code !== 'forbidden' || typeof message !== 'string') return undefined;
  return /Sheaf-Confirm: (sha256:[0-9a-f]{64})/.exec(message)?.[1];
};

const introduce = async (get: HttpEndpoint['get']): Promise<Pick<HttpEndpoint, 'workspaceId' | 'principalId'>> => {
  const ready = await get('/readyz');
  const { workspace_id: workspaceId, principal_id: principalId } = ((await ready?.json()) ?? {}) as JsonMap;
  if (typeof workspaceId !== 'string' || typeof principalId !== 'string')
    throw new CliError('no_host', 'GET /readyz does not name workspace_id and principal_id');
  return { workspaceId, principalId };
};

const headersOf = ({ ifMatch, correlationId, causationId, confirmation }: Context): Record<string, string> => ({
  ...(typeof ifMatch === 'string' ? { 'if-match': `"${ifMatch}"` } : {}),
  ...(ifMatch === null ? { 'if-none-match': '*' } : {}),
  ...(typeof correlationId === 'string' ? { 'sheaf-correlation-id': correlationId } : {}),
  ...(typeof causationId === 'string' ? { 'sheaf-causation-id': causationId } : {}),
  ...(typeof confirmation === 'string' ? { 'sheaf-confirm': confirmation } : {}),
});
