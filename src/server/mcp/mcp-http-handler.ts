import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '#adapter-contracts';
import { failureBody, type Vault } from '#api';
import { createAuthorship } from './authorship.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { createMcpSessions } from './mcp-sessions.ts';

export interface McpHttpOptions {
  readonly vault: Vault;
  /** Whom the request's own token stands for; default: `request.principal`, which the guards set. */
  readonly principalOf?: (request: FastifyRequest) => Principal | null | undefined;
  readonly onError?: (error: unknown) => void;
}

const mostInBatch = 100;

/**
 * MCP over streamable HTTP, for a server to mount at `/mcp` for POST and DELETE (GET answers 405: nothing is pushed) behind its authentication
 * and with its own JSON parser. Every request is answered as JSON by a server of its own, which acts as the bearer of that very request; a session
 * is only the name under which a principal opened the conversation, so that nobody can go on with another's (mcp: who acts).
 */
export const mcpHttpHandler = (options: McpHttpOptions): ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) => {
  const { vault, onError } = options;
  const principalOf = options.principalOf ?? attachedPrincipal;
  const sessions = createMcpSessions();
  const authorship = createAuthorship(vault);

  const post = async (request: FastifyRequest, reply: FastifyReply, principal: Principal): Promise<FastifyReply> => {
    const messages = readMessages(request.body);
    if (messages === null) return refuse(reply, 400, 'invalid_request', 'The body is no JSON-RPC message.');
    const version = request.headers['mcp-protocol-version'];
    if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) {
      return refuse(reply, 400, 'invalid_request', `MCP-Protocol-Version: send one of ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`);
    }
    if (messages.some(isInitializeRequest)) {
      if (messages.length > 1) return refuse(reply, 400, 'invalid_request', 'initialize is sent on its own.');
      reply.header('mcp-session-id', sessions.open(principal.id));
    } else {
      const refused = refuseSession(request, reply, principal);
      if (refused !== null) return refused;
    }
    const server = createMcpServer({ vault, caller: { principal }, authorship, ...(onError === undefined ? {} : { onError }) });
    const answers = await exchange(server, messages);
    if (answers.length === 0) return reply.code(202).send();
    const body = Array.isArray(request.body) ? answers : answers[0];
    return reply.code(200).type('application/json').send(JSON.stringify(body));
  };

  const refuseSession = (request: FastifyRequest, reply: FastifyReply, principal: Principal): FastifyReply | null => {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') return refuse(reply, 400, 'invalid_request', 'Mcp-Session-Id is missing: send initialize first.');
    if (sessions.isOwn(id, principal.id)) return null;
    return refuse(reply, 404, 'not_found', 'There is no such session: send initialize to open one.');
  };

  return async (request, reply) => {
    const principal = principalOf(request);
    if (principal == null) return refuse(reply, 401, 'unauthorized', 'Send Authorization: Bearer TOKEN.');
    if (request.method === 'POST') return post(request, reply, principal);
    if (request.method === 'DELETE') {
      const refused = refuseSession(request, reply, principal);
      if (refused !== null) return refused;
      sessions.end(String(request.headers['mcp-session-id']));
      return reply.code(204).send();
    }
    return refuse(reply.header('allow', 'POST, DELETE'), 405, 'method_not_allowed', 'Send POST: nothing is pushed here.');
  };
};

const attachedPrincipal = (request: FastifyRequest): Principal | null | undefined =>
  (request as FastifyRequest & { readonly principal?: Principal | null }).principal;

type RefusalCode = 'invalid_request' | 'unauthorized' | 'not_found' | 'method_not_allowed';

const refuse = (reply: FastifyReply, status: number, code: RefusalCode, message: string): FastifyReply =>
  reply
    .code(status)
    .type('application/json')
    .send(JSON.stringify(failureBody(code, message)));

const readMessages = (body: unknown): readonly JSONRPCMessage[] | null => {
  const given: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (given.length === 0 || given.length > mostInBatch) return null;
  // Checked, not replaced by the schema's copy: an envelope inside must reach the kernel as it came.
  return given.every(one => JSONRPCMessageSchema.safeParse(one).success) ? (given as readonly JSONRPCMessage[]) : null;
};

/** A cancelled request gets no answer, and the HTTP request that brought both would wait for it for ever; nothing of another one can be cancelled here. */
const isCancellation = (message: JSONRPCMessage): boolean => 'method' in message && message.method === 'notifications/cancelled';

type Server = ReturnType<typeof createMcpServer>;

/** Gives a fresh server the messages of one request and waits for an answer to each that asks for one. */
const exchange = async (server: Server, messages: readonly JSONRPCMessage[]): Promise<readonly JSONRPCMessage[]> => {
  const waiting = new Set(messages.filter(isJSONRPCRequest).map(({ id }) => id));
  const answers: JSONRPCMessage[] = [];
  await new Promise<void>((resolve, reject) => {
    const transport: Transport = {
      start: async () => undefined,
      close: async () => undefined,
      send: async message => {
        if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
        answers.push(message);
        if (message.id !== undefined) waiting.delete(message.id);
        if (waiting.size === 0) resolve();
      },
    };
    server
      .connect(transport)
      .then(() => {
        for (const message of messages) if (!isCancellation(message)) transport.onmessage?.(message);
        if (waiting.size === 0) resolve();
      })
      .catch(reject);
  });
  await server.close();
  return answers;
};
