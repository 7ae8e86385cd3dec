import type { FastifyInstance } from 'fastify';
import { isMap } from '#document';
import { invalidMember, VaultError } from '#errors';
import type { BrowserSessions } from '#identity';
import type { RateLimits } from './rate-limits.ts';
import { refuseWhen } from './refuse-when.ts';

/**
 * `POST /v1/session`: the page exchanges the secret of its one-time link, `{"key": …}`, for a session token; `DELETE /v1/session` ends the session
 * that asks (identity: how callers are known). No cookie is set or read.
 */
export const registerSessionRoutes = (
  app: FastifyInstance,
  options: { readonly sessions: BrowserSessions; readonly failures: RateLimits },
): void => {
  const { sessions, failures } = options;
  app.post('/v1/session', { config: { public: true }, bodyLimit: 4096 }, async (request, reply) => {
    const { body } = request;
    const key = isMap(body) && typeof body.key === 'string' ? body.key : null;
    if (key === null) throw invalidMember('key', 'Send {"key": "…"} with the secret of the link.');
    const session = await sessions.redeem(key);
    if (session === null) {
      refuseWhen(failures.take(request.ip), 'Too many wrong links came from this address.');
      throw new VaultError(
        'unauthorized',
        {},
        'This link was used already, is older than two minutes, or is wrong: ask the server for a new one.',
      );
    }
    return reply.code(201).send(session);
  });
  app.delete('/v1/session', async (request, reply) => {
    if (request.bearerToken !== null) sessions.end(request.bearerToken);
    return reply.code(204).send();
  });
};
