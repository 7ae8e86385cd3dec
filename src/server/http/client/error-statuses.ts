/**
 * §6.5: the status of each code, for refusals inside a stream, which carry none. A copy, because the client imports nothing; a test compares it with
 * the table of the errors room. A code of a newer host counts as 500.
 */
export const errorStatuses: Readonly<Partial<Record<string, number>>> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  lease_conflict: 409,
  version_conflict: 409,
  idempotency_conflict: 409,
  validation_failed: 422,
  internal_error: 500,
};
