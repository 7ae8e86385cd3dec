import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HidePaths } from './hide-host-paths.ts';
import type { Metrics } from './metrics.ts';

/**
 * One line per answered request: which route, by whom, with what result. Never a header, a query, a body or the text of a document; the route is the
 * pattern, and paths are those of envelopes, which the event log names as well.
 */
export const useRequestLog = (app: FastifyInstance, metrics: Metrics): void => {
  app.decorateRequest('refusal', null);
  app.decorateRequest('outcome', null);
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const took = reply.elapsedTime;
    metrics.countRequest(route, request.method, reply.statusCode, took / 1000);
    request.log.info(
      { method: request.method, route, status: reply.statusCode, ms: Math.round(took * 10) / 10, ...whoOf(request), ...resultOf(request) },
      'answered',
    );
  });
};

const whoOf = (request: FastifyRequest): object => {
  const principal = request.principal as { readonly id?: unknown } | null | undefined;
  return typeof principal?.id === 'string' ? { principal: principal.id } : {};
};

const resultOf = ({ outcome, refusal }: FastifyRequest): object => {
  if (outcome === null) return refusal === null ? {} : { code: refusal };
  const { path, operation_id } = outcome;
  if (!outcome.success) return { code: outcome.error.code, path, operation_id };
  return { path, operation_id, ...(outcome.event_id === undefined ? {} : { event_id: outcome.event_id }) };
};

/** What may be logged of a request, a reply and an error, whoever logs them. */
export const logSerializers = (hide: HidePaths) => ({
  req: ({ method, routeOptions }: FastifyRequest) => ({ method, route: routeOptions?.url }),
  res: ({ statusCode }: { readonly statusCode: number }) => ({ status: statusCode }),
  err: (error: Error & { readonly code?: string }) => ({ name: error.name, code: error.code, message: hide(error.message) }),
});
