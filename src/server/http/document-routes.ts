import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { calls, runCall, type Vault } from '#api';
import { callerOf } from './call-plugin.ts';
import { documentPathOf } from './document-path.ts';

/**
 * `GET /v1/documents/{path}`: the exact text as `text/markdown`, or the call's answer as JSON for `Accept: application/json`, with the hash as `ETag`.
 */
export const registerDocumentRoute = (app: FastifyInstance, vault: Vault): void => {
  app.get('/v1/documents/*', async (request, reply) => {
    const path = documentPathOf(request);
    const document = await runCall(calls['document.read'], vault, callerOf(request), { path });
    const etag = `"${document.hash}"`;
    void reply.header('etag', etag).header('vary', 'Accept, Authorization').header('cache-control', 'private, no-cache');
    // Only after the right to read was checked: "not changed" is an answer about the document, too.
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (wantsJson(request)) return reply.send(document);
    return sendStored(reply, document.content);
  });
};

/** Stored bytes are anybody's words: a browser must neither run nor sniff them (docs/threat-model.md). */
const sendStored = (reply: FastifyReply, content: string): FastifyReply =>
  reply.header('content-security-policy', "sandbox; default-src 'none'").type('text/markdown; charset=utf-8').send(content);

const isKnown = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some(each => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag) ?? false;

/** True when JSON is named and preferred to Markdown. */
const wantsJson = ({ headers }: FastifyRequest): boolean => {
  const accept = headers.accept ?? '';
  const json = weightOf(accept, 'application/json');
  return json > 0 && json > weightOf(accept, 'text/markdown');
};

const weightOf = (accept: string, type: string): number => {
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map(each => each.trim().toLowerCase());
    if (name !== type) continue;
    const quality = parameters.find(each => each.startsWith('q='))?.slice(2);
    return quality === undefined ? 1 : Number(quality) || 0;
  }
  return 0;
};
