import type { ErrorCode } from './vault-error.ts';

/** §6.5: the HTTP status of each code, whatever carries it. A new code does not compile until it is answered here. */
export const errorStatuses = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  lease_conflict: 409,
  version_conflict: 409,
  idempotency_conflict: 409,
  validation_failed: 422,
  internal_error: 500,
} as const satisfies Record<ErrorCode, number>;
