import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { failureBody } from '#api';
import { errorStatuses, type FieldIssue, isVaultError, reasonOf } from '#errors';
import type { HidePaths } from './hide-host-paths.ts';
import { type TransportCode, TransportError, transportStatuses } from './transport-error.ts';

/** What a refusal says on the wire. */
interface Refusal {
  readonly code: keyof typeof errorStatuses | TransportCode;
  readonly status: number;
  readonly message: string;
  readonly issues?: readonly FieldIssue[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Gives every failure the contract's body and status (§6.5): what calls throw, what the framework refuses, and what nobody expected. */
export const useErrorReplies = (app: FastifyInstance, hide: HidePaths): void => {
  app.setErrorHandler((error: FastifyError, request, reply) => sendRefusal(error, request, reply, hide));
  const routes = collectRoutes(app);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = routes.filter(route => route.pattern.test(path)).map(route => route.method);
    const error =
      allowed.length === 0
        ? new TransportError('route_not_found', 'No such route; /openapi.json lists them.')
        : new TransportError('method_not_allowed', `Use ${[...new Set(allowed)].join(', ')} here.`, {
            allow: [...new Set(allowed)].join(', '),
          });
    return sendRefusal(error, request, reply, hide);
  });
};

/** Answers with the refusal that an error means. */
export const sendRefusal = (error: unknown, request: FastifyRequest, reply: FastifyReply, hide: HidePaths): FastifyReply => {
  const { code, status, message, issues = [], headers = {} } = refusalOf(error, request.id, hide);
  if (code === 'internal_error') logFailure(request.log, error, hide, 'the request failed');
  request.refusal = code;
  return reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .send(failureBody(code, message, issues));
};

/** Logs a failure of the server itself: what kind, and the message without places on this machine; never a stack. */
export const logFailure = (log: FastifyBaseLogger, error: unknown, hide: HidePaths, what: string): void =>
  log.error({ reason: hide(reasonOf(error)), kind: kindOf(error) }, what);

const refusalOf = (error: unknown, requestId: string, hide: HidePaths): Refusal => {
  if (error instanceof TransportError)
    return { code: error.code, status: transportStatuses[error.code], message: error.message, headers: error.headers };
  if (isVaultError(error)) {
    const { code, message, details } = error;
    const shown = code === 'internal_error' ? hide(message) : message;
    const headers = code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {};
    return { code, status: errorStatuses[code], message: shown, issues: details.issues ?? [], headers };
  }
  const { statusCode, code } = error as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413)
    return transport('payload_too_large', 'The body is larger than this server takes.');
  if (statusCode === 415) return transport('unsupported_media_type', 'Send application/json; a stream as application/x-ndjson.');
  if (statusCode === 429) return transport('rate_limited', 'Too many requests; wait and try again.');
  if (statusCode === 503) return transport('unavailable', 'The server is not ready; try again.');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { code: 'invalid_request', status: 400, message: 'The request is malformed.' };
  return { code: 'internal_error', status: 500, message: `The server could not answer; its log says why under request ${requestId}.` };
};

const transport = (code: TransportCode, message: string): Refusal => ({ code, status: transportStatuses[code], message });

const kindOf = (error: unknown): string => {
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown };
  return typeof code === 'string' ? `${String(name)} ${code}` : String(name);
};

/** Which methods each path has, also those of other rooms' plugins: the router itself only says that nothing matched. */
const collectRoutes = (app: FastifyInstance): readonly { readonly method: string; readonly pattern: RegExp }[] => {
  const routes: { method: string; pattern: RegExp }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const source = url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replace(/\*$/, '.*');
    for (const each of [method].flat()) routes.push({ method: each, pattern: new RegExp(`^${source}$`) });
  });
  return routes;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the refusal this request ended with; for the log. */
    refusal: string | null;
  }
}
