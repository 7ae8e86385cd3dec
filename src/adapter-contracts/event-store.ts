import type { Principal } from './principal.ts';

export type EventAction = 'create' | 'replace' | 'patch' | 'append' | 'event' | 'delete';

/** The canonical event record (§8.2), field for field. */
export interface CanonicalEvent {
  readonly event_id: string;
  readonly event_type: string;
  readonly schema_version: 1;
  readonly timestamp: string;
  readonly workspace_id: string;
  readonly primitive_id: string;
  readonly primitive_version: number;
  readonly action: EventAction;
  readonly subject: string;
  readonly principal: Principal;
  readonly operation_id: string;
  readonly idempotency_key: string;
  readonly request_hash: string;
  readonly correlation_id: string;
  readonly causation_id: string | null;
  readonly before_hash: string | null;
  readonly after_hash: string | null;
  readonly changed_fields: readonly string[];
  readonly resource_status: 'prepared' | null;
  readonly payload: unknown;
}

/** What the log last recorded about a path: the later of its last mutation and its last adopted hand edit. */
export interface LastRecorded {
  readonly event_id: string;
  readonly timestamp: string;
  /** `sha256:<hex>`; null when the path was deleted. */
  readonly hash: string | null;
  /** True when the last record is a `document_adopted` event. */
  readonly adopted: boolean;
}

/** The event cannot be appended because the log already holds this id or this key. Nothing was appended. */
export class DuplicateEventError extends Error {
  override readonly name = 'DuplicateEventError';
  readonly by: 'event_id' | 'idempotency_key';

  constructor(by: 'event_id' | 'idempotency_key', value: string) {
    super(`the log already holds ${by} '${value}'`);
    this.by = by;
  }
}

/** The append failed in a way that leaves open whether the event is in the log; recovery decides (§6.3). */
export class UnknownAppendOutcomeError extends Error {
  override readonly name = 'UnknownAppendOutcomeError';
}

export interface ReplayOptions {
  /** Opaque; from `Replayed.cursor`. Absent = from the beginning. */
  readonly cursor?: string;
  readonly workspaceId?: string;
}

export interface Replayed {
  readonly event: CanonicalEvent;
  /** Continue after this event. */
  readonly cursor: string;
}

/** Damage found while reading the log; it never hides later lines. */
export interface LogDamage {
  /** Vault-relative file. */
  readonly file: string;
  /** Byte offset of the first damaged byte. */
  readonly offset: number;
  readonly length: number;
  readonly reason: string;
  /**
   * `unreadable`: bytes that are no event; `repeated`: an event that stands there a second time; `missing`: events that this machine has seen in the log,
   * before it was exchanged. Absent: something else.
   */
  readonly kind?: 'unreadable' | 'repeated' | 'missing';
}

/** The append-only event log (§8, §6.7). */
export interface EventStore {
  /**
   * Appends durably and in order. Throws `DuplicateEventError` when `event_id`, or (`workspace_id`, `idempotency_key`), is already in
   * the log, across every writer; `UnknownAppendOutcomeError` when it cannot tell; any other error means nothing was appended.
   */
  append(event: CanonicalEvent): Promise<void>;
  /**
   * Whole events in append order, up to the last one there when the replay began; damaged parts are skipped here and reported by `damage`.
   * An unknown cursor throws `VaultError('invalid_request')`.
   */
  replay(options?: ReplayOptions): AsyncIterable<Replayed>;
  /** The cursor behind the last event there is now; null while the log is empty. */
  end(): Promise<string | null>;
  /** The cursor right behind an event, or null when the log does not hold it; unlike a cursor, an event id outlives a log that was rewritten elsewhere. */
  cursorAfter(eventId: string): Promise<string | null>;
  /**
   * Calls `changed` when another process may have appended; a hint that may come too often or not at all, so whoever needs every event also looks
   * from time to time. Gives how to stop, or null when there is nothing to watch yet. Absent: the store has no such hints.
   */
  watch?(changed: () => void): (() => void) | null;
  /** The first event recorded under the key, across every writer and every rotated segment (§6.4). */
  findByIdempotencyKey(workspaceId: string, key: string): Promise<CanonicalEvent | null>;
  findById(eventId: string): Promise<CanonicalEvent | null>;
  lastRecorded(workspaceId: string, path: string): Promise<LastRecorded | null>;
  /** Every path the log knows in the workspace with its last recorded state, in the order of their paths, from the first one after `after`. */
  lastRecordedAll(workspaceId: string, options?: { readonly after?: string }): AsyncIterable<LastRecorded & { readonly path: string }>;
  /** Reads the whole log and reports what is not a whole event, and event ids that stand twice. */
  damage(): Promise<readonly LogDamage[]>;
  /** What is known of such damage without reading the log again; cheap. Absent in stores whose log cannot be damaged. */
  knownDamage?(): Promise<readonly LogDamage[]>;
}
