import type { CanonicalEvent, PrincipalKind } from '#adapter-contracts';
import { hashContent, slugify } from '#document';
import type { Trigger } from '../triggers/trigger.ts';

/** One reason for a trigger to create work: an instant of its schedule, or an event. */
export type Cause =
  | { readonly kind: 'instant'; readonly at: number }
  | { readonly kind: 'event'; readonly event: CanonicalEvent }
  /** A person or a program asked; the key keeps a repeated request from firing twice. */
  | { readonly kind: 'manual'; readonly at: number; readonly key: string; readonly by: Requester };

/** Who asked for a firing, with what they could do then: the work may do no more (readings: rights of a run). */
export interface Requester {
  readonly id: string;
  readonly kind: PrincipalKind;
  readonly capabilities: readonly string[];
}

/** What identifies a firing everywhere (§11.8 Idempotency): the same for every daemon, whatever its clock says. */
export interface FiringIdentity {
  /** ISO 8601 to the second for instants; an event's own timestamp otherwise. */
  readonly scheduledFor: string;
  /** Of the event that says that the firing made work or was skipped: one key for both, so that the first word stands. */
  readonly eventKey: string;
  readonly taskKey: string;
  readonly taskPath: string;
  readonly correlationId: string;
}

/**
 * Keys and places of one firing. The basis is hashed as a JSON array, so that no two different bases can read alike; for work that an event caused it
 * holds the event's id in place of the instant.
 *
 * @param salt Tells keys and path apart from what somebody else put in their place.
 */
export const firingIdentity = (workspaceId: string, trigger: Trigger, cause: Cause, salt = ''): FiringIdentity => {
  const scheduledFor = cause.kind === 'event' ? cause.event.timestamp : isoSeconds(cause.at);
  const third = cause.kind === 'instant' ? scheduledFor : cause.kind === 'event' ? cause.event.event_id : `manual:${cause.key}`;
  const digest = hashContent(JSON.stringify([workspaceId, trigger.workflow.id, trigger.id, third])).slice('sha256:'.length);
  const suffix = salt === '' ? '' : `-${salt}`;
  const mark = cause.kind === 'instant' ? stampOf(scheduledFor) : digest.slice(0, 12);
  return {
    scheduledFor,
    eventKey: `runtime-fire-${digest}${suffix}`,
    taskKey: `runtime-task-${digest}${suffix}`,
    taskPath: `tasks/${nameOf(trigger.workflow.id)}/${nameOf(trigger.id)}-${mark}${suffix}.md`,
    correlationId: cause.kind === 'event' ? cause.event.correlation_id : `firing-${digest.slice(0, 16)}`,
  };
};

/** `2026-05-16T08:00:00Z`. */
export const isoSeconds = (instant: number): string => new Date(instant).toISOString().replace(/\.\d{3}Z$/, 'Z');

const stampOf = (scheduledFor: string): string => scheduledFor.replace(/[-:]/g, '');

/** A file name for an id; one that cannot stand as it is carries a hash, so that different ids keep different files. */
const nameOf = (id: string): string => {
  const name = slugify(id);
  return name === id ? name : `${name}-${hashContent(id).slice('sha256:'.length, 'sha256:'.length + 8)}`;
};
