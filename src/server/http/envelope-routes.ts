import type { FastifyInstance } from 'fastify';
import { calls, type KernelResponse, type Vault } from '#api';
import { callerOf } from './call-plugin.ts';
import { createCompany } from './company.ts';
import { envelopeConditions } from './envelope-conditions.ts';
import { type HidePaths, hideInResponse } from './hide-host-paths.ts';
import { responseStatus } from './response-status.ts';

/** `POST /v1/envelopes`: one envelope, one response with the status of §6.5. The JSON goes to the kernel untouched. */
export const registerEnvelopeRoute = (app: FastifyInstance, options: { readonly vault: Vault; readonly hide: HidePaths }): void => {
  const { vault, hide } = options;
  const company = createCompany();
  app.post('/v1/envelopes', async (request, reply) => {
    // The conditions are checked already, and the envelope is the kernel's to judge: nothing is left for the call's schema.
    const input = { envelope: request.body, ...envelopeConditions(request) };
    await company();
    const response = (await calls['envelope.submit'].handler(vault, callerOf(request), input)) as KernelResponse;
    request.outcome = response;
    return reply.code(responseStatus(response)).send(hideInResponse(response, hide));
  });
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The contract's response, for the log: it names event, operation and path, never what a document says. */
    outcome: KernelResponse | null;
  }
}
