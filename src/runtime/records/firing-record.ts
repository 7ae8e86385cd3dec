import type { CanonicalEvent } from '#adapter-contracts';
import type { Requester } from '../planning/firing.ts';
import { isRuntimes } from '../runtime-principal.ts';

/** What a `workflow_triggered` or `workflow_skipped` event of the runtime says (§11.8 step 3). */
export interface FiringRecord {
  readonly workflowId: string;
  readonly workflowPath: string;
  readonly triggerId: string;
  readonly triggerType: string;
  readonly scheduledFor: string;
  /** Null when the firing was skipped. */
  readonly taskPath: string | null;
  /** The event that caused the work; null for schedules and requests. */
  readonly triggerEventId: string | null;
  /** The key of the request; null unless somebody asked for the firing. */
  readonly requestKey: string | null;
  readonly requester: Requester | null;
  /** Why it was skipped. */
  readonly reason: string | null;
}

const textOf = (payload: Readonly<Record<string, unknown>>, name: string): string | null => {
  const value = Object.hasOwn(payload, name) ? payload[name] : null;
  return typeof value === 'string' ? value : null;
};

/** The runtime wrote it, so its shape is known. */
const requesterOf = ({ requester }: Readonly<Record<string, unknown>>): Requester | null =>
  typeof requester === 'object' && requester !== null ? (requester as Requester) : null;

/** Reads the event back; null for any other event, and for one that the runtime did not record itself. */
export const readFiring = (event: CanonicalEvent): FiringRecord | null => {
  const { payload } = event;
  if (event.action !== 'event' || !isRuntimes(event) || typeof payload !== 'object' || payload === null) return null;
  const members = payload as Readonly<Record<string, unknown>>;
  const type = textOf(members, 'event_type');
  if (type !== 'workflow_triggered' && type !== 'workflow_skipped') return null;
  const workflowId = textOf(members, 'workflow_id');
  const triggerId = textOf(members, 'trigger_id');
  const scheduledFor = textOf(members, 'scheduled_for');
  if (workflowId === null || triggerId === null || scheduledFor === null) return null;
  return {
    workflowId,
    workflowPath: textOf(members, 'workflow_path') ?? event.subject,
    triggerId,
    triggerType: textOf(members, 'trigger_type') ?? '',
    scheduledFor,
    taskPath: type === 'workflow_triggered' ? textOf(members, 'task_path') : null,
    triggerEventId: textOf(members, 'trigger_event_id'),
    requestKey: textOf(members, 'request_key'),
    requester: requesterOf(members),
    reason: textOf(members, 'reason'),
  };
};

/** The digest that the keys of one firing share, salted or not; null for other keys. */
export const firingDigest = (key: string): string | null => /^runtime-(?:fire|task)-([0-9a-f]{64})(?:-|$)/.exec(key)?.[1] ?? null;
