/** What never reaches the kernel (http: codes beyond the contract), with its status. A closed table. */
export const transportStatuses = {
  route_not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  unavailable: 503,
} as const;

export type TransportCode = keyof typeof transportStatuses;

/**
 * A request that is refused before any call is made. The error handler turns it into the contract's body with its status.
 *
 * @example throw new TransportError('rate_limited', 'More than 600 requests in a minute.', { 'retry-after': '12' });
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportCode;
  /** Headers that belong to the refusal: `Allow`, `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: TransportCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}
