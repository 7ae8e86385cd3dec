import type { ErrorCode, FieldIssue } from '#errors';
import type { EnvelopeType } from './envelope.ts';

/** §6.5 success, member for member. */
export interface SuccessResponse {
  readonly success: true;
  readonly type: EnvelopeType;
  readonly operation_id: string;
  readonly path: string;
  /** Null for a dry run and for `unchanged`. */
  readonly committed_at: string | null;
  readonly dry_run: boolean;
  /** Present only when committed. */
  readonly event_id?: string;
  /** Present when an operation was byte-identical to the stored document (§6.4). */
  readonly unchanged?: true;
  /** Present only on an idempotent replay. */
  readonly replay?: true;
  readonly validation: {
    readonly valid: true;
    /** Qualified, `ssss:event` or `ssss:index`. */
    readonly type: string;
    readonly errors: readonly string[];
    readonly warnings: readonly string[];
  };
}

/** §6.5 failure with the repair block of §9. Members of the envelope are echoed where they were well-typed. */
export interface FailureResponse {
  readonly success: false;
  readonly type: EnvelopeType | null;
  readonly operation_id: string;
  readonly path: string | null;
  readonly committed_at: null;
  readonly dry_run: boolean;
  readonly validation: {
    readonly valid: false;
    /** The declared type, qualified, where it resolves. */
    readonly type: string | null;
    readonly errors: readonly string[];
    readonly warnings: readonly string[];
  };
  readonly repair: { readonly field_errors: readonly FieldIssue[] };
  readonly error: { readonly code: ErrorCode; readonly message: string };
}

export type KernelResponse = SuccessResponse | FailureResponse;
