/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** What may be asked of a vault (§6.1). A key and the workspace are added where they are missing. */
export interface Envelope {
  readonly type: 'operation' | 'patch' | 'event' | 'delete';
  readonly path: string;
  readonly workspace_id?: string;
  readonly idempotency_key?: string;
  readonly content?: string;
  readonly patches?: { readonly [key: string]: Json };
  readonly primitive_type?: string;
  readonly operation_id?: string;
  readonly lease_id?: string;
  readonly dry_run?: boolean;
  readonly intent?: string;
}

/** One thing wrong at one place, and what to do about it (§6.5). */
export interface FieldIssue {
  readonly field: string;
  readonly issue: string;
  readonly line?: number;
  readonly column?: number;
}

/** §6.5: done, or done before. */
export interface SuccessResponse {
  readonly success: true;
  readonly type: Envelope['type'];
  readonly operation_id: string;
  readonly path: string;
  readonly committed_at: string | null;
  readonly dry_run: boolean;
  readonly event_id?: string;
  readonly unchanged?: true;
  readonly replay?: true;
  readonly validation: {
    readonly valid: true;
    readonly type: string | null;
    readonly errors: readonly string[];
    readonly warnings: readonly string[];
  };
}

/** The codes of §6.5, and those of failures that never reach the contract (http: codes beyond the contract). */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'lease_conflict'
  | 'version_conflict'
  | 'idempotency_conflict'
  | 'validation_failed'
  | 'internal_error'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'unavailable';

/** §6.5: refused, with what to do about it. */
export interface FailureResponse {
  readonly success: false;
  readonly type: Envelope['type'] | null;
  readonly operation_id: string;
  readonly path: string | null;
  readonly committed_at: null;
  readonly dry_run: boolean;
  readonly validation: {
    readonly valid: false;
    readonly type: string | null;
    readonly errors: readonly string[];
    readonly warnings: readonly string[];
  };
  readonly repair: { readonly field_errors: readonly FieldIssue[] };
  readonly error: { readonly code: ErrorCode; readonly message: string };
}

/** The contract's answer to an envelope (§6.5); `success` tells which. */
export type EnvelopeResponse = SuccessResponse | FailureResponse;

/** One document as it is stored. */
export interface Document {
  readonly path: string;
  readonly kind: 'document' | 'ordinary' | 'invalid';
  /** Qualified type, or null when the file declares none that is known. */
  readonly type: string | null;
  /** `sha256:<hex>`, for `ifMatch`. */
  readonly hash: string;
  readonly content: string;
}

/** One document of a listing. */
export interface DocumentEntry {
  readonly path: string;
  readonly kind: Document['kind'] | 'conflict_marker' | 'conflict_copy' | 'stub' | 'unreadable';
  readonly type: string | null;
  readonly title: string | null;
  readonly hash: string | null;
  readonly reason?: string;
}

/** Who acted. */
export interface Principal {
  readonly id: string;
  readonly kind: 'human' | 'agent' | 'service' | 'system';
  readonly workspaceIds: readonly string[];
  readonly capabilities: readonly string[];
  readonly authentication: { readonly provider: string; readonly assurance?: string };
}

/** The canonical event record (§8.2). */
export interface CanonicalEvent {
  readonly event_id: string;
  readonly event_type: string;
  readonly schema_version: 1;
  readonly timestamp: string;
  readonly workspace_id: string;
  readonly primitive_id: string;
  readonly primitive_version: number;
  readonly action: 'create' | 'replace' | 'patch' | 'append' | 'event' | 'delete';
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

/** A claim on one path (§7). */
export interface Lease {
  readonly lease_id: string;
  readonly workspace_id: string;
  readonly target: string;
  readonly principal_id: string;
  readonly operation_id: string;
  readonly issued_at: string;
  readonly expires_at: string;
}

/** What led to an event and what came of it. */
export interface CausalTree {
  readonly query: string;
  readonly by: 'event' | 'correlation';
  readonly nodes: readonly {
    readonly event: CanonicalEvent;
    readonly depth: number;
    readonly children: readonly string[];
    readonly focus: boolean;
    readonly note?: string;
  }[];
}
