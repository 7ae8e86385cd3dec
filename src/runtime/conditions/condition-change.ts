import { hashContent } from '#document';
import type { PlannedEnvelope } from '../planning/plan-firing.ts';
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
