import { hashContent } from '#document';
import type { PlannedEnvelope } from '../planning/plan-firing.ts';
import type { Trigger } from '../triggers/trigger.ts';

/** The event type of a webhook that was received. */
export const webhookReceived = 'workflow_webhook_received';

/** How long the same body of a sender that names no time counts as the same message; milliseconds. */
export const repeatWindow = 30 * 86_400_000;

/** A verified request. */
export interface WebhookMessage {
  readonly body: Uint8Array;
  readonly contentType: string | null;
  /** Seconds since 1970 as the sender signed them; null when only the body is signed. */
  readonly seconds: number | null;
  /** For a body that was received before, longer ago than `repeatWindow`: the event that recorded it. */
  readonly after?: string;
}

/**
 * The event that a verified request becomes (readings: webhooks). Its key follows from trigger, time and body, so a sender that repeats itself is
 * answered and nothing is recorded twice.
 */
export const webhookReceipt = (workspaceId: string, trigger: Trigger, message: WebhookMessage): PlannedEnvelope => {
  const { body, contentType, seconds, after } = message;
  const basis = [workspaceId, trigger.workflow.id, trigger.id, seconds, hashContent(body), ...(after === undefined ? [] : [after])];
  return {
    type: 'event',
    workspace_id: workspaceId,
    idempotency_key: `runtime-hook-${hashContent(JSON.stringify(basis)).slice('sha256:'.length)}`,
    path: trigger.workflow.path,
    content: JSON.stringify({
      event_type: webhookReceived,
      workflow_id: trigger.workflow.id,
      trigger_id: trigger.id,
      origin: 'external',
      content_type: contentType,
      ...(seconds === null ? {} : { signed_at: seconds }),
      ...readable(body),
    }),
  };
};

/** JSON as a value, other text as text, anything else as base64: exactly one of the three. */
const readable = (body: Uint8Array): { readonly json: unknown } | { readonly text: string } | { readonly base64: string } => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return { base64: Buffer.from(body).toString('base64') };
  }
  if (inexactNumber.test(text)) return { text };
  try {
    const json: unknown = JSON.parse(text);
    return isExact(json) ? { json } : { text };
  } catch {
    return { text };
  }
};

const mostNested = 32;

/** Whether an event can hold it as it is: nothing without end, no half characters, and no deeper than anybody reads. */
const isExact = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return depth < mostNested && Object.entries(value).every(([name, member]) => name.isWellFormed() && isExact(member, depth + 1));
};

/** A number that would lose digits when it is read, as ids of other systems do. */
const inexactNumber = /(?:^|[\s:[,])-?\d{16,}/;
