import type { FastifyInstance } from 'fastify';
import { VaultError } from '#errors';
import type { Authenticator, BrowserSessions } from '#identity';
import { TransportError } from '../transport-error.ts';
import { createRateLimits, type RateLimit } from './rate-limits.ts';
import { refuseWhen } from './refuse-when.ts';
import { checkRequestShape, readBearer } from './request-shape.ts';
import { registerSessionRoutes } from './session-routes.ts';

export interface GuardOptions {
  readonly authenticator: Authenticator;
  readonly sessions: BrowserSessions;
  /** The origins under which the server is reached; asked for each request. */
  readonly origins: () => readonly string[];
  /** Requests per principal; default 5,000 a second over a burst of 10,000. */
  readonly rateLimit?: RateLimit;
  /** Failed authentications per address; default five a second over a burst of 300. */
  readonly failureLimit?: RateLimit;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request, as their token proves; null on public routes. */
    principal: unknown;
    /** The token itself, for watching its end. Never logged. */
    bearerToken: string | null;
  }
  interface FastifyContextConfig {
    /** Answers without a token: pages and the liveness of the process. Host and origin are checked all the same. */
    readonly public?: boolean;
  }
}

/**
 * Guards every route of the server, unknown ones included, before anything of the body is read (identity: what every request must be): Host, Origin
 * and Sec-Fetch-Site as they were sent, no token in the query, then the bearer token, then how much its principal may ask. Also adds the routes
 * of the browser session. Call it before routes are added.
 */
export const registerGuards = (app: FastifyInstance, options: GuardOptions): void => {
  const perPrincipal = createRateLimits(options.rateLimit ?? { perSecond: 5000, burst: 10_000 });
  const failures = createRateLimits(options.failureLimit ?? { perSecond: 5, burst: 300 });
  app.decorateRequest('principal', null);
  app.decorateRequest('bearerToken', null);
  app.addHook('onRequest', async request => {
    const isPublic = request.routeOptions.config.public === true;
    checkRequestShape(request.raw, {
      origins: options.origins(),
      isPage: isPublic && (request.method === 'GET' || request.method === 'HEAD'),
    });
    if (isPublic) return;
    const token = readBearer(request.raw);
    const principal = token === null ? null : await authenticated(options.authenticator, token);
    if (principal === null) {
      // Only failures are counted and refused: behind a proxy everybody has one address, and one dead token must not lock out the living.
      refuseWhen(failures.take(request.ip), 'Too many requests without a valid token came from this address.');
      throw unauthorized(token);
    }
    refuseWhen(perPrincipal.take(principal.id), `'${principal.id}' sends more requests than this server takes from one principal.`);
    request.principal = principal;
    request.bearerToken = token;
  });
  registerSessionRoutes(app, { sessions: options.sessions, failures });
};

const authenticated = async (authenticator: Authenticator, token: string) => {
  let principal: Awaited<ReturnType<Authenticator['authenticate']>>;
  try {
    principal = await authenticator.authenticate(token);
  } catch (error) {
    throw unavailable(error);
  }
  // The authenticator promises it; a remote caller that became `system` would bypass every capability, so it is checked where it would matter (§6.6).
  return principal?.kind === 'system' ? null : principal;
};

const unavailable = (cause: unknown): TransportError => {
  const error = new TransportError('unavailable', 'Nobody can be authenticated at the moment; try again.', { 'retry-after': '5' });
  error.cause = cause;
  return error;
};

const unauthorized = (token: string | null): VaultError<'unauthorized'> => {
  const issue = token === null ? 'Send Authorization: Bearer TOKEN.' : 'This token is unknown, expired or revoked.';
  return new VaultError('unauthorized', { issues: [{ field: 'authorization', issue }] }, issue);
};
