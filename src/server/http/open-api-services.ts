import type { OpenApiDocument, OpenApiOperation, OpenApiPart } from './open-api-types.ts';

/** What the server offers beside the calls (http: beside the calls), so that its description of itself leaves no route out. */
export const servicePaths = (failure: OpenApiPart): OpenApiDocument['paths'] => {
  const operation = (operationId: string, summary: string, more: Partial<OpenApiOperation> & OpenApiPart): OpenApiOperation => ({
    operationId,
    summary,
    tags: ['server'],
    ...more,
    responses: { ...more.responses, default: failure },
  });
  return {
    '/v1/events/stream': { get: operation('event.stream', 'Events as they are committed, as server-sent events.', eventStream) },
    '/v1/session': {
      post: operation('session.open', 'Exchange the secret of a one-time link for a session token. Needs no token.', openSession),
      delete: operation('session.close', 'End the session that asks.', { responses: { '204': said('Ended.') } }),
    },
    '/v1/hooks/{workflow_id}/{trigger_id}': {
      post: operation('hook.receive', 'A signed webhook becomes one event. Needs no token, but a signature.', receiveHook),
    },
    '/mcp': {
      post: operation('mcp', 'MCP over streamable HTTP: one JSON-RPC message.', {
        parameters: [inHeader('Mcp-Session-Id', 'The session that `initialize` opened.')],
        requestBody: { required: true, content: asJson({ type: 'object' }) },
        responses: { '200': said('The reply.', asJson({ type: 'object' })), '202': said('Taken; a notification has no reply.') },
      }),
      delete: operation('mcp.close', 'End an MCP session.', {
        parameters: [inHeader('Mcp-Session-Id', 'The session to end.')],
        responses: { '200': said('Ended.') },
      }),
    },
    '/healthz': {
      get: operation('server.health', 'The process answers. Needs no token.', {
        security: [],
        responses: { '200': said('It does.', asJson(members('status'))) },
      }),
    },
    '/readyz': {
      get: operation(
        'server.ready',
        'The vault can be read and written; which one it is, as whom the token acts, and how hand edits are noticed.',
        {
          responses: { '200': said('Ready.', asJson(members('status', 'workspace_id', 'principal_id', 'watching'))) },
        },
      ),
    },
    '/metrics': {
      get: operation('server.metrics', 'Counters and times for Prometheus.', {
        responses: { '200': said('The metrics.', { 'text/plain': { schema: { type: 'string' } } }) },
      }),
    },
  };
};

const said = (description: string, content: OpenApiPart = {}): OpenApiPart => ({ description, content });
const asJson = (schema: OpenApiPart): OpenApiPart => ({ 'application/json': { schema } });
const inHeader = (name: string, description: string): OpenApiPart => ({ name, in: 'header', description, schema: { type: 'string' } });
const inQuery = (name: string, description: string): OpenApiPart => ({ name, in: 'query', description, schema: { type: 'string' } });
const members = (...names: readonly string[]): OpenApiPart => ({
  type: 'object',
  required: names,
  properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
});

const eventStream = {
  parameters: [
    inHeader('Last-Event-ID', 'Go on after this event.'),
    inQuery('from', '`start`: begin with the first event; else with what comes from now on.'),
    inQuery('subject', 'Only events of this document or directory.'),
    inQuery('correlation_id', 'Only events of one flow.'),
    inQuery('since', 'Only events since this instant.'),
  ],
  responses: {
    '200': said('One event per frame: `id` is the event id, `data` its record.', { 'text/event-stream': { schema: { type: 'string' } } }),
  },
};

const inPath = (name: string, description: string): OpenApiPart => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
});

const receiveHook = {
  security: [{ signature: [] }],
  parameters: [
    inPath('workflow_id', 'The workflow that the trigger belongs to.'),
    inPath('trigger_id', 'The trigger.'),
    inHeader('Sheaf-Signature', '`t=<seconds>,v1=<hex HMAC-SHA256 of "t.body">`.'),
    inHeader('X-Hub-Signature-256', '`sha256=<hex HMAC-SHA256 of the body>`, for senders that sign no time.'),
  ],
  requestBody: { required: false, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } },
  responses: {
    '201': said('Recorded as one event.', asJson(members('event_id'))),
    '200': said('Received before; nothing new was recorded.', asJson(members('event_id'))),
  },
};

const openSession = {
  security: [],
  requestBody: { required: true, content: asJson(members('key')) },
  responses: { '201': said('The token, which lives until the server ends or the session is idle for long.', asJson(members('token'))) },
};
