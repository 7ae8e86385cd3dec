import type { CanonicalEvent } from '#adapter-contracts';
import { isMap } from '#document';
import { conditionChanged } from '../conditions/condition-change.ts';
import { webhookReceived } from '../webhooks/webhook-receipt.ts';
import { matchesEvent } from './matches-event.ts';
import type { Trigger } from './trigger.ts';

/**
 * Whether an event makes a trigger fire, whatever its type: `event` and `file_change` by what they select, `webhook` by the receipt and `condition` by the
 * change to true that the host recorded for exactly this trigger (§11.8).
 */
export const matchesTrigger = (trigger: Trigger, event: CanonicalEvent): boolean => {
  switch (trigger.selector.type) {
    case 'event':
    case 'file_change':
      return matchesEvent(trigger.selector, event);
    case 'webhook':
      return isRecordOf(trigger, event, webhookReceived);
    case 'condition':
      return isRecordOf(trigger, event, conditionChanged) && isMap(event.payload) && event.payload['value'] === true;
    default:
      return false;
  }
};

/** Only the host may record events of this type (readings: webhooks), so whoever writes one is believed. */
const isRecordOf = ({ workflow, id }: Trigger, { action, payload }: CanonicalEvent, eventType: string): boolean =>
  action === 'event' &&
  isMap(payload) &&
  payload['event_type'] === eventType &&
  payload['workflow_id'] === workflow.id &&
  payload['trigger_id'] === id;
