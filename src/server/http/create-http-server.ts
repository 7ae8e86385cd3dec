import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { ownRefusals, refuseBrokenRequest } from './broken-request.ts';
import { registerCallRoutes } from './call-plugin.ts';
import { registerDocumentRoute } from './document-routes.ts';
import { createDraining, type Draining } from './draining.ts';
import { registerEnvelopeRoute } from './envelope-routes.ts';
import { registerEnvelopeStream } from './envelope-stream.ts';
import { logFailure, sendRefusal, useErrorReplies } from './error-replies.ts';
import { registerEventStream } from './events/event-stream.ts';
import { registerGuards } from './guards/register-guards.ts';
import { createHidePaths, type HidePaths } from './hide-host-paths.ts';
import { registerHookRoute } from './hook-routes.ts';
import { defaultHttpSettings, type HttpServerOptions, type HttpSettings } from './http-options.ts';
import { createMetrics } from './metrics.ts';
import { logSerializers, useRequestLog } from './request-log.ts';
import { registerServiceRoutes } from './service-routes.ts';
import { useStrictBodies } from './strict-bodies.ts';
import { TransportError } from './transport-error.ts';
import { watchUnusedConnections } from './unused-connections.ts';

/**
 * The HTTP surface of a vault (§6.5, http: calls). It does not listen yet, and closing it neither closes the vault nor loses anything that was
 * acknowledged: requests under way are answered first, streams finish what they began.
 *
 * @example
 * const server = createHttpServer({ vault, authenticator, sessions, settings: { origins: () => ['http://127.0.0.1:4177'] }, logger });
 * await server.listen({ host: '127.0.0.1', port: 4177 });
 */
export const createHttpServer = (options: HttpServerOptions): FastifyInstance => {
  const { authenticator, sessions, mcp } = options;
  const settings: HttpSettings = { ...defaultHttpSettings, ...options.settings };
  const hide = createHidePaths(options.vault.root);
  const metrics = createMetrics();
  const vault = metrics.observe(options.vault);
  const draining = createDraining();
  const app = openApp(options, settings, hide);

  useErrorReplies(app, hide);
  useRequestLog(app, metrics);
  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    if (!draining.closing()) return;
    void reply.header('connection', 'close');
    throw new TransportError('unavailable', 'The server is closing; try again.', { 'retry-after': '1' });
  });
  app.addHook('onSend', async (_request, reply) => {
    if (draining.closing()) void reply.header('connection', 'close');
  });
  registerGuards(app, {
    authenticator,
    sessions,
    origins: settings.origins,
    ...(settings.rateLimit === undefined ? {} : { rateLimit: settings.rateLimit }),
  });
  useStrictBodies(app, settings);
  registerEnvelopeRoute(app, { vault, hide });
  registerEnvelopeStream(app, { vault, authenticator, settings, draining, hide });
  registerEventStream(app, { vault, authenticator });
  registerDocumentRoute(app, vault);
  registerCallRoutes(app, { vault, hide });
  registerHookRoute(app, vault);
  registerServiceRoutes(app, { vault, metrics, draining });
  if (mcp !== undefined) {
    const onError = (error: unknown): void => logFailure(app.log, error, hide, 'an MCP request failed');
    app.route({ method: ['POST', 'DELETE'], url: '/mcp', handler: mcp({ vault, onError }) });
  }
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  // Node drops headers beyond 2,000, and with them a second Host; the bytes of all headers are bounded anyway.
  app.server.maxHeadersCount = 0;
  finishOnClose(app, draining, settings.closeTimeoutMs);
  return app;
};

const openApp = ({ logger }: HttpServerOptions, settings: HttpSettings, hide: HidePaths): FastifyInstance =>
  fastify({
    // Whatever the framework logs about an error goes through these, so that no stack or place on this machine does.
    loggerInstance: logger.child({}, { serializers: logSerializers(hide) }),
    // One line of our own per request; the framework's would hold the query.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: settings.maxBodyBytes,
    // Answered by our own hook, with the contract's body.
    return503OnClosing: false,
    // A stream of envelopes or events may last; `useStrictBodies` bounds the others.
    requestTimeout: 0,
    routerOptions: { maxParamLength: 4096, ignoreDuplicateSlashes: false },
    frameworkErrors: (error, request, reply) => void sendRefusal(error, request as FastifyRequest, reply as never, hide),
    clientErrorHandler: refuseBrokenRequest,
    ...(settings.tls === undefined ? { http: ownRefusals } : { https: { ...settings.tls, ...ownRefusals } }),
  }) as unknown as FastifyInstance;

/** Streams end after what they began; a client that takes nothing any more cannot keep the server open. */
const finishOnClose = (app: FastifyInstance, draining: Draining, patienceMs: number): void => {
  const closeUnused = watchUnusedConnections(app.server);
  app.addHook('preClose', async () => {
    closeUnused();
    const late = setTimeout(() => app.server.closeAllConnections(), patienceMs);
    app.server.once('close', () => clearTimeout(late));
    await Promise.race([draining.drain(), new Promise(resolve => setTimeout(resolve, patienceMs).unref())]);
  });
};
