import type { ErrorCode } from './vault-error.ts';

/** Every code of §6.5 with its meaning, in the standard's order. `docs/reference/errors.md` is checked against it. */
export const errorCodes = {
  invalid_request: 'Malformed envelope, non-JSON event content, or an unsafe path.',
  unauthorized: 'No valid verified principal reached the kernel.',
  forbidden: 'The principal is not scoped to the workspace or lacks a required capability.',
  not_found: 'The patch or delete target does not exist.',
  lease_conflict: 'A required lease is missing, mismatched, or expired.',
  version_conflict: 'The document changed between read and commit, and no same-key winner exists.',
  idempotency_conflict: 'The key was already used for a different request.',
  validation_failed: 'The document is not valid, or the envelope would change a type, an immutable field, or an append-only document.',
  internal_error: 'Unreadable stored state, a failed resource prepare, or a failed commit. Nothing was committed.',
} as const satisfies Record<ErrorCode, string>;
