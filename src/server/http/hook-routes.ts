import type { FastifyInstance, FastifyRequest } from 'fastify';
import { longestHookBody, type Vault } from '#api';
import { VaultError } from '#errors';
import { createRateLimits } from './guards/rate-limits.ts';
import { refuseWhen } from './guards/refuse-when.ts';

/**
 * `POST /v1/hooks/{workflow_id}/{trigger_id}`: what another system sends, believed by its signature alone (readings: webhooks). Whatever cannot be
 * believed gets one and the same answer, and no sender may ask more than once a second over a burst of sixty, before anything is read.
 */
export const registerHookRoute = (app: FastifyInstance, vault: Vault): void => {
  const limits = createRateLimits({ perSecond: 1, burst: 60 });
  app.register(async scope => {
    // The signature is over the bytes as they came, whatever they are.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.addHook('onRequest', async request => refuseWhen(limits.take(request.ip), 'Too many webhooks came from this address.'));
    scope.post<{ Params: HookAddress }>(
      '/v1/hooks/:workflow_id/:trigger_id',
      { config: { public: true }, bodyLimit: longestHookBody },
      async (request, reply) => {
        const receipt = await vault.hooks.receive(hookRequest(request));
        if (receipt === null)
          throw new VaultError('unauthorized', {}, 'There is no such webhook, or the request is not signed as it wants.');
        return reply.code(receipt.replay ? 200 : 201).send(receipt);
      },
    );
  });
};

interface HookAddress {
  readonly workflow_id: string;
  readonly trigger_id: string;
}

const hookRequest = ({ params, body, headers }: FastifyRequest<{ Params: HookAddress }>) => ({
  workflowId: params.workflow_id,
  triggerId: params.trigger_id,
  body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  contentType: headers['content-type'] ?? null,
  signature: oneHeader(headers['sheaf-signature']),
  bodySignature: oneHeader(headers['x-hub-signature-256']),
});

const oneHeader = (value: string | readonly string[] | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
