import type { KernelResponse } from '#api';
import type { ErrorCode } from '#errors';

/** §6.5: the status of each code. A new code does not compile until it is answered here. */
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

/** §6.5: 201 for a commit; 200 for a replay, a dry run, and what was there already. */
export const responseStatus = (response: KernelResponse): number => {
  if (!response.success) return errorStatuses[response.error.code];
  return response.committed_at !== null && response.replay !== true ? 201 : 200;
};
