import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a request carries to prove who sent it; absent headers are undefined. */
export interface SignedRequest {
  readonly body: Uint8Array;
  /** `Sheaf-Signature`. */
  readonly signature: string | undefined;
  /** `X-Hub-Signature-256`. */
  readonly bodySignature: string | undefined;
}

/** How far the clock of a sender may be off, either way; seconds. */
const tolerance = 300;

/**
 * Whether one of the live secrets signed the request (readings: webhooks). `timed` requests name the second they were signed in; the others prove only
 * their body, so that whoever asks must take each body once. Null: not signed, or by nobody known, or too long ago. Takes as long whichever secret fits.
 *
 * @param now Milliseconds since 1970.
 */
export const verifySignature = (
  secrets: readonly string[],
  request: SignedRequest,
  now: number,
): { readonly kind: 'timed'; readonly seconds: number } | { readonly kind: 'body' } | null => {
  if (request.signature !== undefined) return verifyTimed(secrets, request.signature, request.body, now);
  const [, given] = /^sha256=([0-9a-f]{64})$/i.exec(request.bodySignature ?? '') ?? [];
  return given !== undefined && signedByAny(secrets, [request.body], [given]) ? { kind: 'body' } : null;
};

const verifyTimed = (
  secrets: readonly string[],
  header: string,
  body: Uint8Array,
  now: number,
): { kind: 'timed'; seconds: number } | null => {
  if (header.length > 1000) return null;
  const parts = header.split(',').map(part => part.trim().split('='));
  const times = parts.filter(([name]) => name === 't').map(([, value = '']) => value);
  // Several `v1`, as senders write that exchange their secret.
  const given = parts.filter(([name]) => name === 'v1').map(([, value = '']) => value);
  const [time = ''] = times;
  if (times.length !== 1 || !/^\d{1,12}$/.test(time) || given.length === 0) return null;
  if (Math.abs(now / 1000 - Number(time)) > tolerance) return null;
  return signedByAny(secrets, [Buffer.from(`${time}.`), body], given) ? { kind: 'timed', seconds: Number(time) } : null;
};

const signedByAny = (secrets: readonly string[], parts: readonly Uint8Array[], given: readonly string[]): boolean => {
  let fits = false;
  for (const secret of secrets) {
    const hmac = createHmac('sha256', secret);
    for (const part of parts) hmac.update(part);
    const expected = hmac.digest();
    for (const hex of given) {
      const bytes = Buffer.from(hex, 'hex');
      if (bytes.length === expected.length && timingSafeEqual(bytes, expected)) fits = true;
    }
  }
  return fits;
};
