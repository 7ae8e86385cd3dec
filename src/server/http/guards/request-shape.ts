import type { IncomingMessage } from 'node:http';
import { invalidMember, VaultError } from '#errors';

export interface ShapeRules {
  /** `scheme://host[:port]`, as browsers write origins. */
  readonly origins: readonly string[];
  /** A page may be reached from a link elsewhere; everything else only from this origin's own pages, or from no page at all. */
  readonly isPage: boolean;
}

/**
 * Refuses what no honest client of this server sends: another Host (a name that was rebound to this address), a foreign Origin, a request that
 * another site's page started, a second Host or Authorization, a target that is no path, a token in the query. Looks at the headers as they were
 * sent, because Node joins or drops repeated ones. Says nothing about which hosts would do.
 */
export const checkRequestShape = ({ url = '', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>, rules: ShapeRules): void => {
  if (!url.startsWith('/') || url.startsWith('//'))
    throw invalidMember('target', 'The request line names a path, beginning with one slash.');
  const host = only(rawHeaders, 'host');
  if (host === null) throw invalidMember('host', 'Send exactly one Host header.');
  const own = rules.origins.flatMap(originsAt(host.toLowerCase()));
  if (own.length === 0)
    throw foreign(
      'This server does not answer under that Host: use the address that `sheaf serve` printed, or start it with --origin for this one.',
    );
  const origin = only(rawHeaders, 'origin');
  if (origin !== null && !own.includes(origin)) throw foreign('Pages of another origin may not use this server.');
  const site = only(rawHeaders, 'sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none' && !rules.isPage)
    throw foreign('Pages of another site may not use this server.');
  refuseTokenInQuery(url);
};

/** A configured origin as browsers write it, when it is the one under this host; one that is no URL is nobody's. */
const originsAt =
  (host: string) =>
  (configured: string): readonly string[] => {
    if (!URL.canParse(configured)) return [];
    const url = new URL(configured);
    return url.host === host ? [url.origin] : [];
  };

/** The value of a header that may stand once; null when it does not stand at all. Throws `invalid_request` for a second one. */
const only = (rawHeaders: readonly string[], name: string): string | null => {
  const values = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
  if (values.length > 1) throw invalidMember(name, 'This header may stand once.');
  return values[0] ?? null;
};

const credentialNames = new Set([
  'token',
  'access_token',
  'auth_token',
  'id_token',
  'authorization',
  'bearer',
  'api_key',
  'apikey',
  'key',
  'k',
]);

/** Addresses end up in histories, logs and Referer headers, so a token there is burnt; accepting it would teach people to burn more. */
const refuseTokenInQuery = (url: string): void => {
  const query = url.slice(url.indexOf('?') + 1);
  if (query === url) return;
  const text = decoded(query);
  const names = text.split(/[&;]/).map(part => part.split('=', 1)[0]?.trim().toLowerCase() ?? '');
  if (!/sheafs?_[\w-]{20,}/.test(text) && !names.some(name => credentialNames.has(name))) return;
  throw invalidMember('query', 'A token in the address is refused; revoke it if it was real, and send it as Authorization: Bearer TOKEN.');
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The token of `Authorization: Bearer TOKEN`; empty for another scheme or a malformed one, null when the header is absent. */
export const readBearer = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | null => {
  const header = only(rawHeaders, 'authorization');
  if (header === null) return null;
  const token = /^bearer +([\w.~+/=-]+) *$/i.exec(header)?.[1];
  return token ?? '';
};

const foreign = (message: string): VaultError<'forbidden'> => new VaultError('forbidden', {}, message);
