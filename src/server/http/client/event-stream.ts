import { type SheafError, toSheafError } from './client-error.ts';
import { linesOf } from './line-reader.ts';
import { backoff, pause } from './pause.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { CanonicalEvent } from './wire-types.ts';

/** Which events. */
export interface EventQuery extends CallOptions {
  /** A path, or a directory with a trailing `/`. */
  readonly subject?: string | undefined;
  readonly correlationId?: string | undefined;
  /** ISO 8601; events at or after it. */
  readonly since?: string | undefined;
}

/** Which events to follow, and from where. */
export interface FollowOptions extends EventQuery {
  /** Begin behind this event id, or behind a cursor of `page`; absent = with what comes next. */
  readonly after?: string | undefined;
  /** Without `after`: begin with the first event. */
  readonly from?: 'now' | 'start';
  /** Called each time the stream is connected, and each time it is lost, with the reason. */
  readonly onConnection?: (state: 'open' | 'lost', reason?: unknown) => void;
}

/** The server says every 15 seconds that it is alive; a connection silent for longer is dead, whatever the network thinks. */
const silenceMs = 45_000;
const reconnectMostMs = 30_000;

/** One server-sent event, or a comment's end with nothing but an id. */
interface Message {
  readonly event: string;
  readonly data: string | null;
  readonly id: string | null;
  readonly retry: number | null;
}

/** As `EventCalls.follow`: reconnects until it is aborted or refused. */
export async function* followStream(transport: Transport, options: FollowOptions = {}): AsyncGenerator<CanonicalEvent> {
  const { signal, onConnection } = options;
  const isAborted = (): boolean => signal?.aborted === true;
  let last = options.after ?? null;
  let first = 1_000;
  for (let attempt = 0; !isAborted(); attempt += 1) {
    let reason: unknown = 'the server ended the stream';
    const silence = watchSilence(signal);
    try {
      const response = await openStream(transport, options, last, silence.signal);
      onConnection?.('open');
      for await (const message of messagesOf(response.body, silence.heard)) {
        // The server is really there; the next loss begins with a short wait again.
        attempt = 0;
        if (message.retry !== null) first = message.retry;
        if (message.event === 'end') throw endOf(message.data);
        if (message.data !== null) yield JSON.parse(message.data) as CanonicalEvent;
        last = message.id ?? last;
      }
    } catch (error) {
      if (isAborted()) return;
      if (isFinal(error)) throw error;
      reason = error;
    } finally {
      silence.end();
    }
    onConnection?.('lost', reason);
    await pause(backoff(attempt, first, reconnectMostMs), signal).catch(() => undefined);
  }
}

const openStream = async (transport: Transport, options: FollowOptions, last: string | null, signal: AbortSignal): Promise<Response> => {
  const { subject, correlationId, since, from } = options;
  const response = await transport.open({
    path: '/v1/events/stream',
    query: { subject, correlation_id: correlationId, since, from },
    headers: { accept: 'text/event-stream', 'last-event-id': last ?? undefined },
    repeatable: true,
    signal,
  });
  if (response.ok) return response;
  throw toSheafError(response.status, await response.json().catch(() => null));
};

/** Server-sent events, as the HTML standard reads them. */
async function* messagesOf(body: Response['body'], heard: () => void): AsyncGenerator<Message> {
  let fields: Record<string, string> = {};
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    heard();
    if (line === '') {
      const retry = /^\d+$/.test(fields.retry ?? '') ? Number(fields.retry) : null;
      yield { event: fields.event ?? 'message', data: data.length === 0 ? null : data.join('\n'), id: fields.id ?? null, retry };
      [fields, data] = [{}, []];
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (['event', 'id', 'retry'].includes(name)) fields[name] = value;
  }
}

const endOf = (data: string | null): SheafError => {
  let body: unknown = null;
  try {
    body = JSON.parse(data ?? '');
  } catch {
    // Ended without a reason that can be read.
  }
  return toSheafError(503, body);
};

/** Refusals that trying again would not change. */
const isFinal = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  !['unavailable', 'rate_limited', 'internal_error'].includes(String(error.code)) &&
  'status' in error;

/** A signal that follows the caller's, and ends a connection that says nothing any more. */
const watchSilence = (outer: AbortSignal | undefined) => {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.reason);
  if (outer?.aborted === true) abort();
  outer?.addEventListener('abort', abort);
  const silent = (): void => controller.abort(new Error('the server has been silent for too long'));
  let timer = setTimeout(silent, silenceMs);
  return {
    signal: controller.signal,
    heard: (): void => {
      clearTimeout(timer);
      timer = setTimeout(silent, silenceMs);
    },
    /** Also closes the connection, when the consumer stops early. */
    end: (): void => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
      controller.abort();
    },
  };
};
