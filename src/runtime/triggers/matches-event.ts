import type { CanonicalEvent } from '#adapter-contracts';
import { recordedState } from '#adapter-contracts';
import { matchGlob, type Value } from '#document';
import type { Selector } from './trigger.ts';

/**
 * Whether an event fires a trigger: a pure function of both (§11.8). `event_subject` is a glob over the subject; every entry of `event_match` names own
 * members by a dotted path and must hold exactly, type and value, for the literal or for one of a list. A `file_change` looks at documents only: at
 * mutations, and at hand edits once they are adopted.
 */
export const matchesEvent = (selector: Selector, event: CanonicalEvent): boolean => {
  if (selector.type !== 'event' && selector.type !== 'file_change') return false;
  if (selector.subject === null && selector.match.size === 0) return false;
  if (selector.type === 'file_change' && recordedState(event) === null) return false;
  if (selector.subject !== null && !matchGlob(selector.subject, event.subject)) return false;
  return [...selector.match].every(([path, allowed]) => holds(memberAt(event, path), allowed));
};

/** The member at a dotted path; undefined when a step is no own member. */
const memberAt = (event: CanonicalEvent, path: string): unknown => {
  let value: unknown = event;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
};

const holds = (value: unknown, allowed: Value): boolean => (Array.isArray(allowed) ? allowed.includes(value as Value) : value === allowed);
