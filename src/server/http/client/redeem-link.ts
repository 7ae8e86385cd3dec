import { toSheafError } from './client-error.ts';

/**
 * Exchanges the secret of the one-time link that the server printed (`#k=…`) for a session token. A link works once, within two minutes.
 *
 * @example const { token } = await redeemLink(location.origin, new URLSearchParams(location.hash.slice(1)).get('k') ?? '');
 */
export const redeemLink = async (
  endpoint: string,
  secret: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<{ readonly token: string }> => {
  const response = await fetch(`${endpoint.replace(/\/+$/, '')}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: secret }),
    credentials: 'omit',
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw toSheafError(response.status, body);
  return body as { readonly token: string };
};
