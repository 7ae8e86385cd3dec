import type { ErrorCode } from '#errors';

/** §6.5: the status that belongs to each code, whatever transport carries it. */
export const httpStatuses = {
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

/** The status of a response: 201 for a commit, 200 for a replay, a dry run or no change. */
export const statusOf = (outcome: string): number | null => {
  if (outcome === 'commit') return 201;
  if (['replay', 'dry_run', 'unchanged'].includes(outcome)) return 200;
  return Object.hasOwn(httpStatuses, outcome) ? httpStatuses[outcome as ErrorCode] : null;
};
