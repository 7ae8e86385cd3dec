/** A recorded success (§6.4). `response` is the kernel's response, kept verbatim. */
export interface IdempotencyRecord {
  readonly request_hash: string;
  readonly response: unknown;
  /** ISO 8601. */
  readonly recorded_at: string;
}

/** Thrown by `put` when the key already has a record; nothing changed. */
export class DuplicateKeyError extends Error {
  override readonly name = 'DuplicateKeyError';
}

/** A cache of full responses in front of the log (§6.4, §6.7). */
export interface IdempotencyStore {
  get(workspaceId: string, key: string): Promise<IdempotencyRecord | null>;
  /** Rejects a second `put` for one key with `DuplicateKeyError`, across every writer. */
  put(workspaceId: string, key: string, record: IdempotencyRecord): Promise<void>;
}
