import { toSheafError } from './client-error.ts';
import { linesOf } from './line-reader.ts';
import { backoff, pause } from './pause.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Envelope, EnvelopeResponse } from './wire-types.ts';

/** What travels beside an envelope: the version it is based on, what led to it, a person's confirmation. */
export interface SubmitOptions extends CallOptions {
  /** The hash the writer read; null = the document must not exist yet. */
  readonly ifMatch?: string | null | undefined;
  readonly correlationId?: string | undefined;
  readonly causationId?: string | undefined;
  /** The request hash that a person confirmed (§6.6). */
  readonly confirmation?: string | undefined;
}

/** The Operation Contract itself (§6). What never reached it is thrown as `SheafError`, a broken network as `TypeError`. */
export interface EnvelopeCalls {
  /**
   * One envelope, one response, as the library's `execute`: refusals by the contract are responses, only what never reached it is thrown. Tried again
   * when the network fails, always under the same key, so that it happens once.
   */
  submit(envelope: Envelope, options?: SubmitOptions): Promise<EnvelopeResponse>;
  /** Many envelopes, their responses in input order; after a broken connection it goes on with those that were not answered, under their keys. */
  submitAll(envelopes: Iterable<Envelope> | AsyncIterable<Envelope>, options?: CallOptions): AsyncGenerator<EnvelopeResponse>;
}

/** Envelopes sent in one request of `submitAll`. */
const batchSize = 200;

export const createEnvelopeCalls = (transport: Transport, workspace: (options?: CallOptions) => Promise<string>): EnvelopeCalls => {
  const complete = async (envelope: Envelope, options: CallOptions): Promise<Envelope> => ({
    ...envelope,
    workspace_id: envelope.workspace_id ?? (await workspace(options)),
    idempotency_key: envelope.idempotency_key ?? newKey(),
  });

  async function* submitAll(
    envelopes: Iterable<Envelope> | AsyncIterable<Envelope>,
    options: CallOptions = {},
  ): AsyncGenerator<EnvelopeResponse> {
    let batch: Envelope[] = [];
    for await (const envelope of envelopes) {
      batch.push(await complete(envelope, options));
      if (batch.length < batchSize) continue;
      yield* sendBatch(transport, batch, options);
      batch = [];
    }
    if (batch.length > 0) yield* sendBatch(transport, batch, options);
  }

  return {
    submitAll,
    async submit(envelope, options = {}) {
      const { ifMatch } = options;
      const { status, body } = await transport.send({
        method: 'POST',
        path: '/v1/envelopes',
        headers: {
          'content-type': 'application/json',
          'if-match': typeof ifMatch === 'string' ? `"${ifMatch}"` : undefined,
          'if-none-match': ifMatch === null ? '*' : undefined,
          'sheaf-correlation-id': options.correlationId,
          'sheaf-causation-id': options.causationId,
          'sheaf-confirm': options.confirmation,
        },
        body: JSON.stringify(await complete(envelope, options)),
        repeatable: true,
        signal: options.signal,
      });
      if (isContractResponse(body)) return body;
      throw toSheafError(status, body);
    },
  };
};

async function* sendBatch(transport: Transport, batch: readonly Envelope[], { signal }: CallOptions): AsyncGenerator<EnvelopeResponse> {
  let answered = 0;
  for (let attempt = 0; answered < batch.length; attempt += 1) {
    const before = answered;
    try {
      const body = batch
        .slice(answered)
        .map(envelope => `${JSON.stringify(envelope)}\n`)
        .join('');
      const headers = { 'content-type': 'application/x-ndjson' };
      const response = await transport.open({ method: 'POST', path: '/v1/envelopes/stream', headers, body, repeatable: true, signal });
      if (!response.ok) {
        const error = toSheafError(response.status, await response.json().catch(() => null));
        if (!['rate_limited', 'unavailable'].includes(error.code) || attempt + 1 >= transport.attempts) throw error;
      } else {
        for await (const line of linesOf(response.body)) {
          if (line === '') continue;
          answered += 1;
          yield JSON.parse(line) as EnvelopeResponse;
        }
      }
    } catch (error) {
      if (!isNetworkFailure(error) || signal?.aborted === true || attempt + 1 >= transport.attempts) throw error;
    }
    if (answered === batch.length) return;
    if (answered > before) attempt = 0;
    else if (attempt + 1 >= transport.attempts) throw new TypeError('The server ended the stream before it answered every envelope.');
    await pause(backoff(attempt, 200, 5_000), signal);
  }
}

/** `fetch` and its streams fail with a TypeError when the connection does. */
const isNetworkFailure = (error: unknown): boolean => error instanceof TypeError;

const contractCodes = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'lease_conflict',
  'version_conflict',
  'idempotency_conflict',
  'validation_failed',
  'internal_error',
] as const;

const isContractResponse = (body: unknown): body is EnvelopeResponse => {
  if (typeof body !== 'object' || body === null || !('success' in body)) return false;
  const { success, error } = body as Partial<EnvelopeResponse> & { readonly error?: { readonly code?: unknown } };
  return success === true || (success === false && (contractCodes as readonly unknown[]).includes(error?.code));
};

/** A random UUID. `crypto.randomUUID` is missing on pages that came over plain HTTP from another machine. */
export const newKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};
