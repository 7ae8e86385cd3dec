import type { CanonicalEvent } from '#adapter-contracts';
import { hashContent, isMap } from '#document';
import type { PlannedEnvelope } from '../planning/plan-firing.ts';
import { isRuntimes } from '../runtime-principal.ts';
import type { Trigger } from '../triggers/trigger.ts';

/** The last change of a condition on record; a condition that never changed counts as false. */
export interface ConditionState {
  readonly value: boolean;
  /** The event that recorded it; null while there is none. */
  readonly eventId: string | null;
}

/**
 * The event that records a change of a condition's value, or null when nothing changed (readings: conditions of triggers). Its key hangs on the
 * previous change, so several daemons that see one change record it once.
 */
export const conditionChange = (workspaceId: string, trigger: Trigger, before: ConditionState, value: boolean): PlannedEnvelope | null => {
  if (value === before.value) return null;
  const digest = hashContent(JSON.stringify([workspaceId, trigger.workflow.id, trigger.id, before.eventId])).slice('sha256:'.length);
  return {
    type: 'event',
    workspace_id: workspaceId,
    idempotency_key: `runtime-condition-${digest}`,
    path: trigger.workflow.path,
    content: JSON.stringify({
      event_type: conditionChanged,
      workflow_id: trigger.workflow.id,
      trigger_id: trigger.id,
      value,
    }),
  };
};

export const conditionChanged = 'workflow_condition_changed';

/** What such an event says; null for any other event, and for one that the runtime did not record itself. */
export const readConditionChange = (
  event: CanonicalEvent,
): { readonly workflowId: string; readonly triggerId: string; readonly value: boolean } | null => {
  const { payload } = event;
  if (event.action !== 'event' || !isRuntimes(event) || !isMap(payload) || payload['event_type'] !== conditionChanged) return null;
  const { workflow_id: workflowId, trigger_id: triggerId, value } = payload;
  if (typeof workflowId !== 'string' || typeof triggerId !== 'string' || typeof value !== 'boolean') return null;
  return { workflowId, triggerId, value };
};
