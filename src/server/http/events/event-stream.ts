import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { failureBody, followEvents, type OpenedFollow, type Vault } from '#api';
import { VaultError } from '#errors';
import type { Authenticator } from '#identity';
import { TransportError } from '../transport-error.ts';
import { type ClientStream, createClientStream } from './client-stream.ts';
import { eventFrame, placeFrame } from './event-frames.ts';
import { createStreamRights, type StreamRights } from './stream-rights.ts';

export interface EventStreamOptions {
  readonly vault: Vault;
  readonly authenticator: Authenticator;
  /** How often a stream without events says that it is alive. */
  readonly heartbeatMs?: number;
  /** How long a client may take nothing before it is let go. */
  readonly patienceMs?: number;
}

interface Settings extends Required<EventStreamOptions> {
  readonly rights: StreamRights;
  readonly open: Set<ClientStream>;
}

/**
 * `GET /v1/events/stream` (http: live events): server-sent events from `Last-Event-ID` on, an event id or a cursor; without one, from now on or, with
 * `?from=start`, from the first event. The right to read is asked again before each event; a stream ends within a second of its token. A client that
 * takes nothing costs one event and a socket buffer, and is let go after a while: it misses nothing when it comes back with its last id.
 */
export const registerEventStream = (app: FastifyInstance, options: EventStreamOptions): void => {
  const { vault, authenticator, heartbeatMs = 15_000, patienceMs = 30_000 } = options;
  const rights = createStreamRights(vault, authenticator);
  const open = new Set<ClientStream>();
  const settings: Settings = { vault, authenticator, heartbeatMs, patienceMs, rights, open };
  // A HEAD that ran the same handler would wait for an end that never comes.
  app.get('/v1/events/stream', { exposeHeadRoute: false }, (request, reply) => answer(request, reply, settings));
  app.head('/v1/events/stream', () => {
    throw new TransportError('method_not_allowed', 'Use GET here.', { allow: 'GET' });
  });
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end(failureBody('unavailable', 'The server is closing; connect again with the last id.'));
  });
};

const answer = async (request: FastifyRequest, reply: FastifyReply, settings: Settings): Promise<FastifyReply> => {
  const token = request.bearerToken;
  if (token === null) throw new VaultError('unauthorized', {}, 'An event stream needs a bearer token.');
  const opened = await followEvents.open(settings.vault, { principal: request.principal }, inputOf(request));
  reply.hijack();
  void serve(request, reply, { opened, token, settings });
  return reply;
};

/** `Last-Event-ID` is what a client repeats when it comes back, so it counts more than where it once began. */
const inputOf = (request: FastifyRequest): unknown => {
  // A parameter that stands twice is a list here, which the schema refuses.
  const { cursor, ...query } = request.query as Readonly<Record<string, unknown>>;
  const last = request.headers['last-event-id'];
  const after = typeof last === 'string' && last !== '' ? last : cursor;
  return after === undefined ? query : { ...query, after };
};

interface Serving {
  readonly opened: OpenedFollow;
  readonly token: string;
  readonly settings: Settings;
}

const serve = async (request: FastifyRequest, reply: FastifyReply, { opened, token, settings }: Serving): Promise<void> => {
  const stream = createClientStream(reply.raw, settings.patienceMs);
  settings.open.add(stream);
  const unwatch = settings.authenticator.watch(token, () => stream.end(failureBody('unauthorized', 'The token has ended.')));
  let place = opened.cursor;
  const heartbeat = setInterval(() => stream.writeWhenIdle(placeFrame(place)), settings.heartbeatMs);
  try {
    begin(reply, place);
    for await (const { event, cursor } of opened.follow(stream.signal)) {
      place = cursor;
      if (!opened.matches(event)) continue;
      const may = settings.rights.mayRead(token);
      if (!(typeof may === 'boolean' ? may : await may))
        stream.end(failureBody('forbidden', 'Reading events needs the capability read:event.'));
      if (stream.signal.aborted) break;
      if (!stream.write(eventFrame(event))) await stream.drained();
    }
    stream.end(failureBody('unavailable', 'The server is closing; connect again with the last id.'));
  } catch (error) {
    request.log.error({ kind: error instanceof VaultError ? error.code : 'unexpected' }, 'an event stream failed');
    stream.end(failureBody('internal_error', 'The log can no longer be read from here; connect again.'));
  } finally {
    clearInterval(heartbeat);
    unwatch();
    settings.open.delete(stream);
    if (stream.dropped()) request.log.info('a client that took no events was let go');
  }
};

const begin = (reply: FastifyReply, place: string | null): void => {
  const raw: ServerResponse = reply.raw;
  const headers = reply.getHeaders() as Record<string, string>;
  raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // A connection that had a stream is not kept for other requests: it would keep a closing server waiting.
    connection: 'close',
    // nginx would otherwise hold events back until its buffer is full.
    'x-accel-buffering': 'no',
  });
  // The id lets a client that loses the connection before its first event resume from here.
  raw.write(`retry: 1000\n${placeFrame(place)}`);
};
