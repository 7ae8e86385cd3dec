import type { ErrorCode } from '#errors';

/** Every refused or failed request ends with 1: scripts branch on the code in the response, not on the status. A new code must be answered here. */
export const exitCodes = {
  invalid_request: 1,
  unauthorized: 1,
  forbidden: 1,
  not_found: 1,
  lease_conflict: 1,
  version_conflict: 1,
  idempotency_conflict: 1,
  validation_failed: 1,
  internal_error: 1,
} as const satisfies Record<ErrorCode, number>;

export const usageStatus = 2;
export const failedStatus = 1;
