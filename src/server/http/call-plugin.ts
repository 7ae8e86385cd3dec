import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Call, type Caller, calls, type KernelResponse, runCall, type Vault } from '#api';
import { isMap } from '#document';
import { invalidMember } from '#errors';
import { type CallRoute, callRoutes } from './call-routes.ts';
import { type HidePaths, hideInResponse } from './hide-host-paths.ts';
import { readQuery } from './raw-target.ts';
import { responseStatus } from './response-status.ts';

/** Offers every call of the table; each route reads its input, makes the call and answers what the call answers. */
export const registerCallRoutes = (app: FastifyInstance, { vault, hide }: { readonly vault: Vault; readonly hide: HidePaths }): void => {
  for (const route of callRoutes) {
    const call = calls[route.call] as unknown as Call;
    const readInput = inputReader(route, call);
    const print = printer(route, hide);
    app.route({
      method: route.method,
      url: route.url,
      handler: async (request, reply) => {
        const output = await runCall(call, vault, callerOf(request), readInput(request));
        if (route.contract === true) {
          const response = output as KernelResponse;
          request.outcome = response;
          return reply.code(responseStatus(response)).send(hideInResponse(response, hide));
        }
        return reply
          .code(route.status ?? 200)
          .type('application/json; charset=utf-8')
          .send(print(output));
      },
    });
  }
};

/** Who makes the request, as the guards authenticated them, with the request hash that a person confirmed. */
export const callerOf = (request: FastifyRequest): Caller => {
  const confirmation = request.headers['sheaf-confirm'];
  return { principal: request.principal, ...(typeof confirmation === 'string' ? { confirmation } : {}) };
};

/** Members that say why something cannot be read or was noticed; what the system says there names places on this machine. */
const reasons = new Set(['reason', 'message', 'issue']);

/** An answer as JSON. Events are given as they were recorded: what their payloads say is the caller's own. */
const printer =
  ({ call }: CallRoute, hide: HidePaths) =>
  (output: unknown): string =>
    call.startsWith('event.') || call === 'history.show'
      ? JSON.stringify(output)
      : JSON.stringify(output, (name, value: unknown) => (typeof value === 'string' && reasons.has(name) ? hide(value) : value));

const inputReader = ({ method }: CallRoute, call: Call): ((request: FastifyRequest) => unknown) => {
  const typed = queryTypes(call);
  return request => {
    const given = Object.fromEntries(Object.entries(readQuery(request)).map(([name, text]) => [name, typed(name, text)]));
    const body = method === 'POST' ? (request.body ?? {}) : {};
    if (!isMap(body)) throw invalidMember('body', 'The body is a JSON object with the members of the call.');
    const url = request.params as Readonly<Record<string, string>>;
    // A member of the body that the URL names already must not overrule it.
    const twice = Object.keys(url).find(name => Object.hasOwn(body, name) || Object.hasOwn(given, name));
    if (twice !== undefined) throw invalidMember(twice, 'The URL names it already; leave it out of query and body.');
    return { ...given, ...body, ...url };
  };
};

/** A query holds text only; numbers and truth values become such where the call's input wants them, anything else is the schema's to refuse. */
const queryTypes = (call: Call): ((name: string, text: string) => unknown) => {
  const { properties = {} } = z.toJSONSchema(call.input, { io: 'input' }) as { properties?: Record<string, { type?: unknown }> };
  return (name, text) => {
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
    if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
    return (type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  };
};
