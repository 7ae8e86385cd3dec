import type { CallOptions, Transport } from './transport.ts';
import type { CanonicalEvent, SuccessResponse } from './wire-types.ts';

/** One version of a document as far as it is known. */
export interface PastVersion {
  readonly event_id: string | null;
  readonly timestamp: string | null;
  /** Null = there was no document. */
  readonly hash: string | null;
  readonly type: string | null;
  /** Null when there was no document or its content is missing. */
  readonly content: string | null;
  /** Why there is no content although there was a document. */
  readonly missing?: string | undefined;
}

export interface DocumentChange {
  readonly event: CanonicalEvent;
  readonly changes_document: boolean;
  readonly before: PastVersion;
  readonly after: PastVersion;
  /** Unified; null when a content is missing. */
  readonly diff: string | null;
}

export interface DocumentDiff {
  readonly path: string;
  readonly from: PastVersion;
  readonly to: PastVersion;
  readonly diff: string | null;
}

export interface BlamedLines {
  readonly first_line: number;
  readonly last_line: number;
  readonly origin: 'event' | 'unrecorded' | 'unknown';
  readonly event_id: string | null;
}

export interface DocumentBlame {
  readonly path: string;
  readonly hash: string;
  readonly content: string;
  readonly type: string | null;
  readonly fields: readonly (BlamedLines & { readonly key: string })[];
  readonly body: readonly BlamedLines[];
  readonly events: readonly {
    readonly event_id: string;
    readonly timestamp: string;
    readonly principal_id: string;
    readonly action: string;
  }[];
  readonly complete: boolean;
  readonly note: string | null;
}

/** What may be said of an undo beside the event. */
export interface UndoOptions extends CallOptions {
  /** Restore although the document moved on. */
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** In place of the key that the server derives. */
  readonly key?: string;
  readonly leaseId?: string;
  readonly operationId?: string;
  readonly correlationId?: string;
  /** The request hash that a refusal named, confirmed by a person. */
  readonly confirm?: string;
}

/** The past of documents (§8). Whatever is refused is thrown as `SheafError`. */
export interface PastCalls {
  /** What one event did: both contents and the difference. */
  change(eventId: string, options?: CallOptions): Promise<DocumentChange>;
  /** The document as it was right after an event. */
  read(
    path: string,
    at: string,
    options?: CallOptions,
  ): Promise<{
    readonly path: string;
    readonly kind: 'document' | 'ordinary' | 'invalid';
    readonly type: string | null;
    readonly hash: string;
    readonly content: string;
    readonly event_id: string;
    readonly timestamp: string;
  }>;
  /** Without events what stands in the file but not in the log; with one what it changed; with two what differs between them. */
  diff(path: string, events?: { readonly from?: string; readonly to?: string }, options?: CallOptions): Promise<DocumentDiff>;
  /** Which event set each frontmatter key and each line of the body. */
  blame(path: string, at?: string, options?: CallOptions): Promise<DocumentBlame>;
  /**
   * Takes back what an event did, as a new event. Asked again it is answered again, not done again, so it is repeated when the network fails.
   *
   * @example await client.history.undo(response.event_id);
   */
  undo(eventId: string, options?: UndoOptions): Promise<SuccessResponse>;
}

export const createPastCalls = (transport: Transport): PastCalls => ({
  change: (eventId, { signal } = {}) =>
    transport.call({ path: `/v1/events/${encodeURIComponent(eventId)}/change`, repeatable: true, signal }),
  read: (path, at, { signal } = {}) => transport.call({ path: '/v1/history/document', query: { path, at }, repeatable: true, signal }),
  diff: (path, { from, to } = {}, { signal } = {}) =>
    transport.call({ path: '/v1/history/diff', query: { path, from, to }, repeatable: true, signal }),
  blame: (path, at, { signal } = {}) => transport.call({ path: '/v1/history/blame', query: { path, at }, repeatable: true, signal }),
  undo: (eventId, { signal, confirm, dryRun, key, leaseId, operationId, correlationId, force } = {}) =>
    transport.call({
      method: 'POST',
      path: `/v1/events/${encodeURIComponent(eventId)}/undo`,
      headers: { 'content-type': 'application/json', 'sheaf-confirm': confirm },
      body: JSON.stringify({
        force,
        dry_run: dryRun,
        idempotency_key: key,
        lease_id: leaseId,
        operation_id: operationId,
        correlation_id: correlationId,
      }),
      repeatable: true,
      signal,
    }),
});
