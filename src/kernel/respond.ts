import type { CanonicalEvent } from '#adapter-contracts';
import { parseDocument } from '#document';
import { type AnyVaultError, type FieldIssue, isVaultError } from '#errors';
import type { Attempt } from './attempt.ts';
import type { EnvelopeType } from './envelope.ts';
import type { FailureResponse, SuccessResponse } from './kernel-response.ts';
import { internalError, issueText } from './refusals.ts';

/** The answer to an envelope that was accepted without a commit: a dry run, or an operation that changes nothing. */
export function uncommittedResponse(attempt: Attempt, unchanged: boolean): SuccessResponse {
  const { envelope, operationId, change, warnings, lateWarnings } = attempt;
  return {
    success: true,
    type: envelope.type,
    operation_id: operationId,
    path: envelope.path,
    committed_at: null,
    dry_run: envelope.dry_run,
    ...(unchanged ? { unchanged } : {}),
    validation: { valid: true, type: change.primitiveId, errors: [], warnings: [...warnings, ...lateWarnings] },
  };
}

/** The answer after the commit point, with the warnings of stages 11–13. */
export const committedResponse = (event: CanonicalEvent, lateWarnings: readonly string[]): SuccessResponse => {
  const response = responseOf(event);
  return { ...response, validation: { ...response.validation, warnings: [...response.validation.warnings, ...lateWarnings] } };
};

const typesByAction: Readonly<Record<CanonicalEvent['action'], EnvelopeType>> = {
  create: 'operation',
  replace: 'operation',
  patch: 'patch',
  append: 'patch',
  event: 'event',
  delete: 'delete',
};

/** The answer that a commit's event alone stands for (§6.4): the original but for post-commit warnings. */
export const responseOf = (event: CanonicalEvent): SuccessResponse => ({
  success: true,
  type: typesByAction[event.action],
  operation_id: event.operation_id,
  path: event.subject,
  committed_at: event.timestamp,
  dry_run: false,
  event_id: event.event_id,
  validation: { valid: true, type: event.primitive_id, errors: [], warnings: recordedWarnings(event) },
});

/** The kernel keeps pre-commit warnings in the payload of document events; the payload of an `event` belongs to the client. */
function recordedWarnings({ action, payload }: CanonicalEvent): readonly string[] {
  if (action === 'event' || typeof payload !== 'object' || payload === null || !('warnings' in payload)) return [];
  return Array.isArray(payload.warnings) ? payload.warnings.filter(warning => typeof warning === 'string') : [];
}

/** Whatever was thrown, as the refusal it means: anything that is not a `VaultError` is an internal error. */
export const refusalOf = (error: unknown): AnyVaultError =>
  isVaultError(error) ? error : (internalError('The kernel failed', error) as AnyVaultError);

/** The one place where a refusal becomes a response (§6.5, §9). */
export function failureResponse(attempt: Attempt, refusal: AnyVaultError): FailureResponse {
  const issues: readonly FieldIssue[] = refusal.details.issues ?? [];
  return {
    success: false,
    type: attempt.echo.type,
    operation_id: attempt.operationId,
    path: attempt.echo.path,
    committed_at: null,
    dry_run: attempt.echo.dry_run,
    validation: {
      valid: false,
      type: attempt.declaredType ?? declaredType(attempt),
      errors: issues.map(issueText),
      warnings: [...attempt.warnings, ...attempt.lateWarnings],
    },
    repair: { field_errors: issues },
    error: { code: refusal.code, message: refusal.message },
  };
}

/** The type an operation's own content declares, for refusals before stage 4 looked at it. */
function declaredType({ envelope, kernel }: Attempt): string | null {
  if (envelope.type !== 'operation') return null;
  const parsed = parseDocument(envelope.content ?? '');
  const type = parsed.kind === 'document' ? parsed.document.data.type : null;
  return typeof type === 'string' ? (kernel.registry.resolve(type)?.qualified ?? null) : null;
}
