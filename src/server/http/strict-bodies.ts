import type { FastifyInstance, FastifyRequest } from 'fastify';
import { JsonSyntaxError, parseStrictJson } from '#api';
import { decodeUtf8 } from '#document';
import { VaultError } from '#errors';
import type { HttpSettings } from './http-options.ts';
import { TransportError } from './transport-error.ts';

/** Levels of objects and lists in a body (http: what holds for every request). */
export const maxJsonDepth = 64;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a stream without end or limit; the route bounds its items. */
    readonly endlessBody?: boolean;
  }
}

/**
 * Bodies are read whole and bounded, in bounded time, and only as JSON by our own reader on the raw bytes: invalid UTF-8, a name that stands twice and
 * deep nesting are refused, and objects have no prototype.
 */
export const useStrictBodies = (app: FastifyInstance, settings: Pick<HttpSettings, 'bodyTimeoutMs'>): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => readJsonBody(body));
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { headers, raw } = request;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return done();
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity')
      return done(new TransportError('unsupported_media_type', `Send the body as it is: content-encoding '${encoding}' is not taken.`));
    if (request.routeOptions.config.endlessBody !== true) {
      // A body that drips would hold its connection for ever.
      const timer = setTimeout(() => raw.destroy(), settings.bodyTimeoutMs);
      payload.once('close', () => clearTimeout(timer));
    }
    done();
  });
  // What was refused before its body was read, above all without a token, could go on sending it for ever.
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete || raw.destroyed) return;
    const timer = setTimeout(() => raw.complete || raw.destroy(), settings.bodyTimeoutMs);
    raw.once('close', () => clearTimeout(timer));
  });
};

/** One JSON value from a body. Throws `invalid_request` with the place. */
const readJsonBody = (body: Uint8Array): unknown => {
  let text: string;
  try {
    text = decodeUtf8(body);
  } catch {
    throw refused('The body is not valid UTF-8.');
  }
  try {
    return parseStrictJson(text, maxJsonDepth);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const before = text.slice(0, error.offset).split('\n');
    throw refused(error.message, { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
  }
};

const refused = (issue: string, place: { readonly line?: number; readonly column?: number } = {}): VaultError<'invalid_request'> => {
  const where = place.line === undefined ? '' : `line ${place.line}, column ${place.column}: `;
  return new VaultError('invalid_request', { issues: [{ field: 'body', issue, ...place }] }, `body: ${where}${issue}`);
};
