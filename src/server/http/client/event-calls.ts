import { successOf, type WriteOptions } from './document-calls.ts';
import type { EnvelopeCalls } from './envelope-calls.ts';
import { type EventQuery, type FollowOptions, followStream } from './event-stream.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { CanonicalEvent, CausalTree, Json, SuccessResponse } from './wire-types.ts';

/** A page of the log. */
export interface EventPage {
  readonly events: readonly CanonicalEvent[];
  /** Continue here, also later. */
  readonly cursor: string | null;
  readonly more: boolean;
}

/** The log (§8). Whatever is refused is thrown as `SheafError`. */
export interface EventCalls {
  /** One page, in log order. */
  page(options?: EventQuery & { readonly cursor?: string | undefined; readonly limit?: number }): Promise<EventPage>;
  /** Events in log order, up to now. */
  list(options?: EventQuery & { readonly cursor?: string | undefined }): AsyncGenerator<CanonicalEvent>;
  /** One event by its id. */
  show(eventId: string, options?: CallOptions): Promise<CanonicalEvent>;
  /** What led to an event and what came of it; or everything of one correlation. */
  trace(idOrCorrelation: string, options?: CallOptions): Promise<CausalTree>;
  /** Records something that happened (§8). */
  record(
    subject: string,
    payload: { readonly event_type: string; readonly [name: string]: Json },
    options?: WriteOptions,
  ): Promise<SuccessResponse>;
  /**
   * Events as they come. A lost connection is taken up again behind the last event, so that none is missed and none comes twice; ends when the signal
   * is aborted, and throws `SheafError` when the server refuses for good.
   *
   * @example for await (const event of client.events.follow({ subject: 'tasks/', signal })) show(event);
   */
  follow(options?: FollowOptions): AsyncGenerator<CanonicalEvent>;
}

export const createEventCalls = (transport: Transport, envelopes: EnvelopeCalls): EventCalls => {
  const page: EventCalls['page'] = ({ signal, correlationId, ...query } = {}) =>
    transport.call({ path: '/v1/events', query: { ...query, correlation_id: correlationId }, repeatable: true, signal });

  async function* list({
    cursor: start,
    ...query
  }: EventQuery & { readonly cursor?: string | undefined } = {}): AsyncGenerator<CanonicalEvent> {
    let cursor = start;
    for (let more = true; more; ) {
      const found: EventPage = await page({ ...query, cursor, limit: 1000 });
      yield* found.events;
      cursor = found.cursor ?? cursor;
      ({ more } = found);
    }
  }

  return {
    page,
    list,
    show: (eventId, { signal } = {}) => transport.call({ path: `/v1/events/${encodeURIComponent(eventId)}`, repeatable: true, signal }),
    trace: (id, { signal } = {}) => transport.call({ path: `/v1/events/${encodeURIComponent(id)}/trace`, repeatable: true, signal }),
    async record(subject, payload, options = {}) {
      const { key, operationId } = options;
      const members = {
        ...(key === undefined ? {} : { idempotency_key: key }),
        ...(operationId === undefined ? {} : { operation_id: operationId }),
      };
      return successOf(await envelopes.submit({ type: 'event', path: subject, content: JSON.stringify(payload), ...members }, options));
    },
    follow: options => followStream(transport, options),
  };
};
