import { z } from 'zod';
import { type Call, calls } from '#api';
import { errorCodes, errorStatuses } from '#errors';
import { callRoutes, urlParameters } from './call-routes.ts';
import { servicePaths } from './open-api-services.ts';
import type { OpenApiDocument, OpenApiOperation, OpenApiPart } from './open-api-types.ts';
import { transportStatuses } from './transport-error.ts';

export type { OpenApiOperation, OpenApiPart } from './open-api-types.ts';

/** The OpenAPI 3.1 description of every route, made from the schemas of the calls. */
export const openApiDocument = (): OpenApiDocument => ({
  openapi: '3.1.0',
  info: {
    title: 'Sheaf',
    version: '1',
    description: 'A vault over HTTP: the Operation Contract 0.9 for writing, calls that authorise every read.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  security: [{ bearer: [] }],
  paths: { ...paths(), ...servicePaths(failureAnswer) },
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'The token of a principal, or of a browser session.' },
      signature: {
        type: 'apiKey',
        in: 'header',
        name: 'Sheaf-Signature',
        description: 'Proof that the sender of a webhook knows its secret.',
      },
    },
    schemas: { Failure: failureSchema(), Response: outputSchema(calls['envelope.submit'] as unknown as Call) },
  },
});

const paths = (): OpenApiDocument['paths'] => {
  const byPath: Record<string, Record<string, OpenApiOperation>> = {};
  const add = (method: string, path: string, operation: OpenApiOperation): void => {
    byPath[path] = { ...byPath[path], [method]: operation };
  };
  add('post', '/v1/envelopes', submitOperation());
  add('post', '/v1/envelopes/stream', streamOperation());
  for (const route of callRoutes) {
    const call = calls[route.call] as unknown as Call;
    add(route.method.toLowerCase(), route.url.replace(/:(\w+)/g, '{$1}'), callOperation(route, call));
    if (route.call === 'document.list') add('get', '/v1/documents/{path}', documentOperation());
  }
  return byPath;
};

const callOperation = (route: (typeof callRoutes)[number], call: Call): OpenApiOperation => {
  const inUrl = urlParameters(route.url);
  const input = inputSchema(call);
  const properties = (input.properties ?? {}) as Record<string, OpenApiPart>;
  const required = (input.required ?? []) as readonly string[];
  const others = Object.keys(properties).filter(name => !inUrl.includes(name));
  const inQuery = route.method === 'POST' ? [] : others;
  const parameter = (where: 'path' | 'query') => (name: string) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: properties[name] ?? { type: 'string' },
  });
  const body = {
    ...input,
    properties: Object.fromEntries(others.map(name => [name, properties[name]])),
    required: required.filter(name => others.includes(name)),
  };
  return {
    operationId: call.name,
    summary: call.summary,
    tags: [call.name.split('.')[0] ?? ''],
    parameters: [...inUrl.map(parameter('path')), ...inQuery.map(parameter('query'))],
    ...(route.method === 'POST' && others.length > 0 ? { requestBody: jsonBody(body) } : {}),
    responses: { [String(route.status ?? 200)]: answer(call.summary, json(outputSchema(call))), default: failureAnswer },
  };
};

const header = (name: string, description: string): OpenApiPart => ({ name, in: 'header', description, schema: { type: 'string' } });

const conditionHeaders = [
  header('If-Match', 'The hash the writer read, in quotes: refused with version_conflict unless the document still has it.'),
  header('If-None-Match', '`*`: refused with version_conflict if the document exists.'),
  header('Sheaf-Correlation-Id', 'Groups everything that one cause led to (§8.3).'),
  header('Sheaf-Causation-Id', 'The event that led to this change (§8.3).'),
  header('Sheaf-Confirm', 'The request hash that a person confirmed, where policy asks for it.'),
];

const submitOperation = (): OpenApiOperation => ({
  operationId: 'envelope.submit',
  summary: calls['envelope.submit'].summary,
  tags: ['envelope'],
  parameters: conditionHeaders,
  requestBody: jsonBody(envelopeSchema),
  responses: {
    '200': answer('A replay, a dry run, or nothing to change.', json(responseRef)),
    '201': answer('Committed.', json(responseRef)),
    ...Object.fromEntries(
      [...new Set(Object.values(errorStatuses))].map(status => [String(status), answer(codesOf(status).join(', '), json(failureRef))]),
    ),
    default: failureAnswer,
  },
});

const streamOperation = (): OpenApiOperation => ({
  operationId: 'envelope.stream',
  summary: 'Envelopes in, one response per line out, in input order, as `sheaf exec`.',
  tags: ['envelope'],
  requestBody: { required: true, content: { 'application/x-ndjson': { schema: envelopeSchema } } },
  responses: { '200': answer('One response per line.', { 'application/x-ndjson': { schema: responseRef } }), default: failureAnswer },
});

const documentOperation = (): OpenApiOperation => ({
  operationId: 'document.read',
  summary: calls['document.read'].summary,
  tags: ['document'],
  parameters: [
    {
      name: 'path',
      in: 'path',
      required: true,
      schema: { type: 'string' },
      description: "The document's path; its slashes stay as they are.",
    },
    header('If-None-Match', 'A hash in quotes: answered with 304 while the document has it.'),
  ],
  responses: {
    '200': answer('The text, with its hash as ETag.', {
      'text/markdown': { schema: { type: 'string' } },
      ...json(outputSchema(calls['document.read'] as unknown as Call)),
    }),
    '304': answer('Not changed.', {}),
    default: failureAnswer,
  },
});

/** §6.1, for readers; the kernel's first stage is the judge. */
const envelopeSchema: OpenApiPart = {
  type: 'object',
  required: ['type', 'workspace_id', 'idempotency_key', 'path'],
  properties: {
    type: { enum: ['operation', 'patch', 'event', 'delete'] },
    workspace_id: { type: 'string' },
    idempotency_key: { type: 'string' },
    path: { type: 'string' },
    content: { type: 'string', description: 'operation: the whole document; event: JSON as a string' },
    patches: { type: 'object', description: 'patch: frontmatter keys; `__body__` stands for the body' },
    primitive_type: { type: 'string' },
    operation_id: { type: 'string' },
    lease_id: { type: 'string' },
    dry_run: { type: 'boolean' },
    intent: { type: 'string' },
  },
};

const responseRef: OpenApiPart = { $ref: '#/components/schemas/Response' };
const failureRef: OpenApiPart = { $ref: '#/components/schemas/Failure' };
const json = (schema: OpenApiPart): OpenApiPart => ({ 'application/json': { schema } });
const jsonBody = (schema: OpenApiPart): OpenApiPart => ({ required: true, content: json(schema) });
const answer = (description: string, content: OpenApiPart): OpenApiPart => ({ description, content });
const failureAnswer = answer('Refused or failed; the body names the code.', json(failureRef));

const codesOf = (status: number): readonly string[] =>
  Object.keys(errorCodes).filter(code => errorStatuses[code as keyof typeof errorStatuses] === status);

const inputSchema = (call: Call): OpenApiPart => bare(z.toJSONSchema(call.input, { io: 'input' }));
const outputSchema = (call: Call): OpenApiPart => bare(z.toJSONSchema(call.output, { io: 'output' }));
const bare = (schema: OpenApiPart): OpenApiPart => Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema'));

/** §6.5 with both tables of codes. */
const failureSchema = (): OpenApiPart => ({
  type: 'object',
  required: ['success', 'error', 'validation', 'repair'],
  properties: {
    success: { const: false },
    type: { type: ['string', 'null'] },
    operation_id: { type: 'string' },
    path: { type: ['string', 'null'] },
    committed_at: { type: 'null' },
    dry_run: { type: 'boolean' },
    validation: { type: 'object' },
    repair: { type: 'object', properties: { field_errors: { type: 'array', items: { type: 'object' } } } },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { enum: [...Object.keys(errorStatuses), ...Object.keys(transportStatuses)] }, message: { type: 'string' } },
    },
  },
});
