import type { FastifyInstance } from 'fastify';
import type { Principal, Vault } from '#api';
import type { Draining } from './draining.ts';
import type { Metrics } from './metrics.ts';
import { openApiDocument } from './open-api.ts';
import { referencePage, startPage } from './reference-page.ts';
import { TransportError } from './transport-error.ts';

export interface ServiceOptions {
  readonly vault: Vault;
  readonly metrics: Metrics;
  readonly draining: Draining;
}

/** What operators and tools ask: is it alive, may it have traffic, what did it do, what can it do. */
export const registerServiceRoutes = (app: FastifyInstance, { vault, metrics, draining }: ServiceOptions): void => {
  // Alive means only that the process answers: a disk that is full must not make a supervisor restart it for ever.
  app.get('/healthz', { config: { public: true } }, async (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', async (request, reply) => {
    if (draining.closing()) throw new TransportError('unavailable', 'The server is closing.');
    const readOnly = vault.notices().some(notice => notice.kind === 'read_only');
    const failed = vault.notices().some(notice => notice.kind === 'recovery_failed');
    if (readOnly || failed)
      throw new TransportError('unavailable', readOnly ? 'The vault is open for reading only.' : 'Leftover commits cannot be decided.');
    // Touches log and index, so that a store that cannot read says so here.
    await vault.event('readiness').catch((error: unknown) => {
      throw notReady(error);
    });
    const { id } = request.principal as Principal;
    const watching = vault.activity().watching?.mode ?? 'none';
    return reply.send({ status: 'ready', workspace_id: vault.workspaceId, principal_id: id, watching });
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  const document = JSON.stringify(openApiDocument());
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(document));
  for (const [url, page] of [
    ['/', startPage()],
    ['/reference', referencePage()],
  ] as const) {
    app.get(url, { config: { public: true } }, async (_request, reply) =>
      reply
        .headers({ 'content-security-policy': pagePolicy, 'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin' })
        .type('text/html; charset=utf-8')
        .send(page),
    );
  }
};

const notReady = (cause: unknown): TransportError => {
  const error = new TransportError('unavailable', 'The log cannot be read.');
  error.cause = cause;
  return error;
};

/** The pages have a style sheet inside them and no script. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
