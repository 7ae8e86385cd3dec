import type { FastifyRequest } from 'fastify';
import { invalidMember } from '#errors';

/** The path of the request as it was sent: nothing decoded, nothing normalised. */
export const rawPath = (request: FastifyRequest): string => (request.raw.url ?? '').split('?', 1)[0] ?? '';

/** The parameters of the query, each name once and decoded once. Throws `invalid_request` for what is not UTF-8 in percent encoding. */
export const readQuery = (request: FastifyRequest): Readonly<Record<string, string>> => {
  const url = request.raw.url ?? '';
  const start = url.indexOf('?');
  const query = Object.create(null) as Record<string, string>;
  if (start === -1) return query;
  for (const part of url.slice(start + 1).split('&')) {
    if (part === '') continue;
    const [name = '', value = ''] = splitOnce(part, '=').map(text => decodeOnce(text.replaceAll('+', ' '), 'query'));
    if (Object.hasOwn(query, name)) throw invalidMember(name, 'This parameter stands twice in the query.');
    query[name] = value;
  }
  return query;
};

const splitOnce = (text: string, separator: string): readonly string[] => {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
};

/** Throws `invalid_request` when the text is not percent-encoded UTF-8. */
export const decodeOnce = (text: string, field: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidMember(field, 'This part of the URL is not UTF-8 in percent encoding.');
  }
};
