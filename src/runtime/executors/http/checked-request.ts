import { lookup } from 'node:dns/promises';
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { reasonOf } from '#errors';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

export interface ServiceRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** The service runs on this machine, and nowhere else. */
  readonly loopback: boolean;
  readonly signal: AbortSignal;
  /** Finds the addresses of a name; tests name their own. */
  readonly resolve?: ((hostname: string) => Promise<readonly string[]>) | undefined;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs: number | null;
}

/** The service was not called, or did not answer in the way it may. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** Another try may do. */
  readonly temporary: boolean;

  constructor(message: string, temporary: boolean) {
    super(message);
    this.temporary = temporary;
  }
}

/**
 * Calls a service once: its name is resolved once, every address is checked, and the connection goes to a checked one. No redirect is followed, no proxy
 * of the environment used, and the answer is cut off at its limit. Throws `ServiceError`.
 */
export const requestService = async (request: ServiceRequest): Promise<ServiceAnswer> => {
  const addresses = await checkedAddresses(request);
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = AbortSignal.any([request.signal, timeout]);
  try {
    return await send(request, addresses, signal);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (request.signal.aborted) throw new ServiceError('the run was stopped', true);
    if (timeout.aborted) throw new ServiceError(`${request.url.origin} did not answer within ${request.timeoutMs / 1000} s`, true);
    throw new ServiceError(`${request.url.origin} cannot be reached: ${reasonOf(error)}`, true);
  }
};

const checkedAddresses = async ({ url, loopback, resolve = resolveAll, timeoutMs, signal }: ServiceRequest): Promise<readonly string[]> => {
  const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  let addresses: readonly string[];
  try {
    addresses =
      isIP(hostname) === 0 ? await within(resolve(hostname), AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])) : [hostname];
  } catch (error) {
    throw new ServiceError(`the name '${hostname}' cannot be resolved: ${reasonOf(error)}`, true);
  }
  if (addresses.length === 0) throw new ServiceError(`the name '${hostname}' has no address`, true);
  // All of them: a name with one good and one bad address is a trick.
  const wrong = addresses.find(address => !(loopback ? isLoopbackAddress(address) : isPublicAddress(address)));
  if (wrong === undefined) return addresses;
  const why = loopback
    ? 'which is not this machine, as the setting says'
    : 'which lies on this machine or in a network around it; a service of this machine needs --loopback';
  throw new ServiceError(`'${hostname}' leads to ${wrong}, ${why}`, false);
};

const resolveAll = async (hostname: string): Promise<readonly string[]> =>
  (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);

const within = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('it took too long')), { once: true });
    }),
  ]);

/** Gives the connection the checked addresses in place of looking the name up again. */
const fixedLookup =
  (addresses: readonly string[]): LookupFunction =>
  (_, options, callback) => {
    const found = addresses.map(address => ({ address, family: isIP(address) }));
    const [first] = found;
    if (options.all === true) callback(null, found);
    else callback(null, first?.address ?? '', first?.family ?? 4);
  };

const send = (
  { url, method, headers, body, maxBytes }: ServiceRequest,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ServiceAnswer> =>
  new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? secureRequest : plainRequest;
    const outgoing: ClientRequest = open(url, {
      method,
      signal,
      // A connection of its own: one that was kept could lead to an address that was checked for somebody else.
      agent: false,
      lookup: fixedLookup(addresses),
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        ...(body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
    });
    outgoing.once('error', reject);
    outgoing.once('response', response => {
      readAnswer(response, maxBytes).then(
        answer => {
          outgoing.destroy();
          resolve(answer);
        },
        (error: unknown) => {
          outgoing.destroy();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
    outgoing.end(body ?? undefined);
  });

const readAnswer = async (response: IncomingMessage, maxBytes: number): Promise<ServiceAnswer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new ServiceError(`the answer is longer than ${maxBytes} bytes`, false);
    chunks.push(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    body: new TextDecoder().decode(Buffer.concat(chunks)),
    retryAfterMs: retryAfter(response.headers['retry-after']),
  };
};

const retryAfter = (header: string | undefined): number | null => {
  if (header === undefined) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 24 * 3600) * 1000 : null;
};
