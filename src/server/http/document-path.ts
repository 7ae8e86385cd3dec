import type { FastifyRequest } from 'fastify';
import { checkPath } from '#document';
import { invalidMember } from '#errors';
import { decodeOnce, rawPath } from './raw-target.ts';

const prefix = '/v1/documents/';

/**
 * The vault path that a URL below `/v1/documents/` names: cut from the URL as it was sent and decoded once. Separators and NUL in percent encoding,
 * dot segments and empty segments throw `invalid_request` before anything is read, so that the refusal says nothing about what is there.
 *
 * @example documentPathOf(request) // '/v1/documents/notes/caf%C3%A9.md' → 'notes/café.md'
 */
export const documentPathOf = (request: FastifyRequest): string => {
  const raw = rawPath(request);
  // The router decodes before it compares, so an encoded letter of the prefix reaches this route, too.
  if (!raw.startsWith(prefix)) throw invalidMember('path', `Write the route as ${prefix}PATH, nothing of it encoded.`);
  const encoded = raw.slice(prefix.length);
  const trick = /%(?:2f|5c|00)/i.exec(encoded)?.[0];
  if (trick !== undefined) throw invalidMember('path', `'${trick}' cannot stand in a path; separate folders with '/'.`);
  const path = decodeOnce(encoded, 'path');
  const issue = checkPath(path);
  if (issue !== null) throw invalidMember('path', issue);
  return path;
};
