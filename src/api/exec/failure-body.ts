import { randomUUID } from 'node:crypto';
import type { FieldIssue } from '#errors';
import type { FailureResponse } from '#kernel';

/** §6.5, with a code of the contract or of a surface's own table. */
export type FailureBody<C extends string> = Omit<FailureResponse, 'error'> & {
  readonly error: { readonly code: C; readonly message: string };
};

/** The §6.5 failure for what never became an envelope, so that a client reads one shape whatever failed. */
export const failureBody = <C extends string>(code: C, message: string, issues: readonly FieldIssue[] = []): FailureBody<C> => ({
  success: false,
  type: null,
  operation_id: randomUUID(),
  path: null,
  committed_at: null,
  dry_run: false,
  validation: { valid: false, type: null, errors: issues.map(({ field, issue }) => `${field}: ${issue}`), warnings: [] },
  repair: { field_errors: issues },
  error: { code, message },
});
