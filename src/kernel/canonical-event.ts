import type { CanonicalEvent } from '#adapter-contracts';
import type { Attempt } from './attempt.ts';

/** The event record of a commit, the twenty fields of §8.2. Warnings go with it so that a replay from the log can repeat them. */
export function canonicalEvent(attempt: Attempt, now: Date, warnings: readonly string[]): CanonicalEvent {
  const { envelope, change, context, operationId } = attempt;
  const isEvent = envelope.type === 'event';
  return {
    event_id: attempt.eventId,
    event_type: 'ssss.mutation',
    schema_version: 1,
    timestamp: now.toISOString(),
    workspace_id: envelope.workspace_id,
    primitive_id: change.primitiveId,
    primitive_version: change.primitiveVersion,
    action: change.action,
    subject: envelope.path,
    principal: attempt.principal,
    operation_id: operationId,
    idempotency_key: envelope.idempotency_key,
    request_hash: attempt.requestHash,
    correlation_id: context.correlationId ?? operationId,
    causation_id: context.causationId ?? null,
    before_hash: attempt.current?.hash ?? null,
    after_hash: change.afterHash,
    changed_fields: change.changedFields,
    resource_status: attempt.reservation === null ? null : 'prepared',
    payload: isEvent ? envelope.payload : warnings.length === 0 ? null : { warnings },
  };
}
