import { createDocument, type Value } from '#document';
import type { Trigger } from '../triggers/trigger.ts';
import { type Cause, firingIdentity } from './firing.ts';

/** An envelope of the runtime (§6.1), without the host's context. */
export interface PlannedEnvelope {
  readonly type: 'event' | 'operation';
  readonly workspace_id: string;
  readonly idempotency_key: string;
  readonly path: string;
  readonly content: string;
}

/** What one firing submits, in this order, as the runtime's own principal. */
export interface PlannedFiring {
  readonly scheduledFor: string;
  readonly taskPath: string;
  readonly correlationId: string;
  /** The event that caused the work; null for schedules and requests, whose task is caused by the `workflow_triggered` event. */
  readonly causationId: string | null;
  /** The `workflow_triggered` event; for a firing that is skipped the event that says so. */
  readonly event: PlannedEnvelope;
  /** Null when the firing is skipped. Its document must not exist yet. */
  readonly task: PlannedEnvelope | null;
}

/**
 * Turns a firing into envelopes (§11.8 steps 3 and 4). Pure: what is written depends on the basis and on the workflow document alone, never on a clock
 * or on who plans. Two daemons that see different versions of the workflow write under one key; the second gets `idempotency_conflict`, which means
 * that the work is there.
 *
 * @param skip Why the firing makes no work; it is recorded under the same key, so that no later look reopens it.
 */
export const planFiring = (
  workspaceId: string,
  trigger: Trigger,
  cause: Cause,
  { skip = null, salt = '' }: { readonly skip?: string | null; readonly salt?: string } = {},
): PlannedFiring => {
  const identity = firingIdentity(workspaceId, trigger, cause, salt);
  const { scheduledFor, taskPath, correlationId } = identity;
  const causationId = cause.kind === 'event' ? cause.event.event_id : null;
  const about = {
    workflow_id: trigger.workflow.id,
    workflow_path: trigger.workflow.path,
    trigger_id: trigger.id,
    trigger_type: trigger.selector.type,
    scheduled_for: scheduledFor,
    ...(causationId === null ? {} : { trigger_event_id: causationId }),
  };
  const request = cause.kind === 'manual' ? { request_key: cause.key, requester: cause.by } : {};
  const event: PlannedEnvelope = {
    type: 'event',
    workspace_id: workspaceId,
    idempotency_key: identity.eventKey,
    path: trigger.workflow.path,
    content: JSON.stringify(
      skip === null
        ? { event_type: 'workflow_triggered', ...about, ...request, task_path: taskPath }
        : { event_type: 'workflow_skipped', ...about, ...request, reason: skip },
    ),
  };
  const task: PlannedEnvelope | null =
    skip !== null
      ? null
      : {
          type: 'operation',
          workspace_id: workspaceId,
          idempotency_key: identity.taskKey,
          path: taskPath,
          content: taskText(trigger, { ...about, dedupe_key: identity.taskKey }, causationId),
        };
  return { scheduledFor, taskPath, correlationId, causationId, event, task };
};

const taskText = (trigger: Trigger, about: Readonly<Record<string, string>>, causationId: string | null): string => {
  const { workflow } = trigger;
  const fields: Readonly<Record<string, Value | undefined>> = {
    type: 'task',
    title: `${workflow.title} ${about['scheduled_for']}`,
    description: `Work of the workflow '${workflow.title}', fired by its trigger '${trigger.id}'.`,
    timestamp: about['scheduled_for'],
    priority: workflow.priority,
    category: 'workflow',
    status: 'pending',
    ...about,
    ...workflow.handsOn,
    ...(trigger.concurrency === 'enqueue' ? { x_concurrency: 'enqueue' } : {}),
    x_workflow_hash: workflow.hash,
    ...(causationId === null ? {} : { causation_id: causationId }),
    ...(trigger.params === null ? {} : { x_params: trigger.params }),
  };
  const body = `\n## Objective\n\nDo what [${linkText(workflow.title)}](${linkTarget(workflow.path)}) says.\n`;
  return createDocument(fields, body);
};

/** Nothing in a title can end the link early or begin something else. */
const linkText = (title: string): string => title.replace(/[\\[\]`<>*_]/g, '\\$&').replace(/\s+/g, ' ');

const linkTarget = (path: string): string => `/${path.split('/').map(encodeURIComponent).join('/')}`;
