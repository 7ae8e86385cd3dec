import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { execEnvelopes, readJsonItems, type Vault } from '#api';
import type { Authenticator } from '#identity';
import { callerOf } from './call-plugin.ts';
import { createCurrentPrincipal } from './current-principal.ts';
import type { Draining } from './draining.ts';
import { type HidePaths, hideInResponse } from './hide-host-paths.ts';
import type { HttpSettings } from './http-options.ts';
import { createPacedInput } from './paced-input.ts';
import { maxJsonDepth } from './strict-bodies.ts';

export interface StreamOptions {
  readonly vault: Vault;
  readonly authenticator: Authenticator;
  readonly settings: HttpSettings;
  readonly draining: Draining;
  readonly hide: HidePaths;
}

/** JSON Lines under the names that clients give them, and what `exec` takes besides: values over several lines, one array. */
const streamTypes = ['application/x-ndjson', 'application/jsonl', 'application/json-lines', 'application/json'];

/**
 * `POST /v1/envelopes/stream`: envelopes in, one response per line out, in input order, exactly as `sheaf exec`. Reading waits for slow answers and for a
 * client that does not read them; when the client goes away, the server closes or the token ends, nothing more is taken and what was begun is finished.
 */
export const registerEnvelopeStream = (root: FastifyInstance, options: StreamOptions): void => {
  void root.register(async app => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(streamTypes, (_request, payload, done) => done(null, payload));
    app.post('/v1/envelopes/stream', { config: { endlessBody: true } }, async (request, reply) => {
      const lines = new PassThrough({ highWaterMark: 64 * 1024 });
      // A client may wait for the head of the answer before it sends anything; the framework would hold it back until the first line.
      lines.once('resume', () => reply.raw.flushHeaders());
      void answerStream(request, reply.raw, lines, options);
      return reply.type('application/x-ndjson; charset=utf-8').header('x-accel-buffering', 'no').send(lines);
    });
  });
};

const answerStream = async (request: FastifyRequest, reply: ServerResponse, lines: PassThrough, options: StreamOptions): Promise<void> => {
  const { vault, settings, hide } = options;
  const stop = new AbortController();
  const release = stopReasons(request, lines, stop, options);
  const limits = { bytes: settings.maxBodyBytes, depth: maxJsonDepth };
  const input = createPacedInput(
    bodyUntil(request, stop.signal, reply),
    chunks => readJsonItems(chunks, limits),
    settings.streamPendingBytes,
  );
  const token = request.bearerToken;
  const { principal } = callerOf(request);
  const counts = { done: 0, refused: 0 };
  try {
    await execEnvelopes(vault, input.items, {
      principal,
      ...(token === null ? {} : { principalNow: createCurrentPrincipal(options.authenticator, token, principal) }),
      concurrency: settings.streamConcurrency,
      signal: stop.signal,
      emit: async response => {
        counts[response.success ? 'done' : 'refused'] += 1;
        if (!lines.destroyed && !lines.write(`${JSON.stringify(hideInResponse(response, hide))}\n`)) await drained(lines);
        input.answered();
      },
    });
  } catch (error) {
    request.log.error({ reason: hide(String(error)) }, 'a stream of envelopes ended early');
  } finally {
    release();
    request.log.info(counts, 'stream answered');
    lines.end();
  }
};

/** Everything after which no further envelope is taken. */
const stopReasons = (request: FastifyRequest, lines: PassThrough, stop: AbortController, options: StreamOptions): (() => void) => {
  const end = (): void => stop.abort();
  lines.once('close', end);
  const token = request.bearerToken;
  const stopWatching = token === null ? () => undefined : options.authenticator.watch(token, end);
  const leave = options.draining.join(end);
  return () => {
    lines.off('close', end);
    stopWatching();
    leave();
  };
};

const drained = async (lines: PassThrough): Promise<void> => {
  const gone = new AbortController();
  try {
    await Promise.race([once(lines, 'drain', gone), once(lines, 'close', gone)]);
  } finally {
    gone.abort();
  }
};

/**
 * The body as it arrives, until it ends, breaks off or is no longer listened to. Ending this way leaves the connection open for the answers of what was
 * begun; what still arrives is thrown away meanwhile, because closing a connection with unread bytes can lose the last answers.
 */
const bodyUntil = (request: FastifyRequest, signal: AbortSignal, reply: ServerResponse): AsyncIterable<Uint8Array> => {
  const body = request.raw;
  const pass = new PassThrough();
  const leave = (): void => {
    body.unpipe(pass);
    pass.end();
    body.resume();
    reply.once('finish', () => void setTimeout(() => body.destroy(), lingerMs).unref());
  };
  body.pipe(pass);
  body.once('error', () => pass.end());
  body.once('close', () => pass.end());
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  return pass;
};

/** How long a client may take to read the last answers before its connection is closed under it. */
const lingerMs = 200;
