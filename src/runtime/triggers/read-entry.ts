import { emptyMap, type FrontmatterMap, isMap, type Value } from '#document';
import { cronSchedule } from '../schedule/cron.ts';
import { intervalSchedule } from '../schedule/interval.ts';
import { ScheduleError } from '../schedule/schedule.ts';
import {
  type ConcurrencyPolicy,
  concurrencyPolicies,
  type MisfirePolicy,
  misfirePolicies,
  type Selector,
  type TriggerType,
  triggerTypes,
} from './trigger.ts';

/** A member of a trigger that cannot be read. */
export class EntryError extends Error {
  override readonly name = 'EntryError';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** What a trigger entry says beside its identity. */
export interface Entry {
  readonly selector: Selector;
  readonly misfirePolicy: MisfirePolicy;
  readonly concurrency: ConcurrencyPolicy;
  readonly misfireGrace: number;
}

const defaultGraceSeconds = 60;

/**
 * Reads the members that `triggers[]` entries and `trigger` documents share (§5.4, §11.8); `defaults` are those of the workflow. Throws `EntryError`
 * naming the member.
 */
export const readEntry = (type: Value, entry: FrontmatterMap, defaults: FrontmatterMap): Entry => ({
  selector: readSelector(oneOf('type', type, triggerTypes), entry),
  misfirePolicy: oneOf('misfire_policy', entry['misfire_policy'] ?? defaults['misfire_policy'] ?? 'run_once', misfirePolicies),
  concurrency: oneOf('concurrency', entry['concurrency'] ?? defaults['concurrency'] ?? 'skip_if_running', concurrencyPolicies),
  misfireGrace: seconds('x_misfire_grace', entry['x_misfire_grace'] ?? defaultGraceSeconds) * 1000,
});

const readSelector = (type: TriggerType, entry: FrontmatterMap): Selector => {
  switch (type) {
    case 'manual':
      return { type };
    case 'webhook':
      return { type, secret: text('x_secret', entry['x_secret']) };
    case 'cron':
      return { type, schedule: scheduled(() => cronSchedule(text('cron', entry['cron']), optionalText('timezone', entry['timezone']))) };
    case 'interval':
      return {
        type,
        schedule: scheduled(() => intervalSchedule(text('interval', entry['interval']), optionalText('x_anchor', entry['x_anchor']))),
      };
    case 'event':
    case 'file_change':
      return readEventSelector(type, entry);
    case 'condition':
      return { type, when: text('x_when', entry['x_when']) };
  }
};

const readEventSelector = (type: 'event' | 'file_change', entry: FrontmatterMap): Selector => {
  const subject = optionalText('event_subject', entry['event_subject']) ?? null;
  const match = entry['event_match'] ?? emptyMap();
  if (!isMap(match)) throw new EntryError('event_match', 'event_match maps event paths to the values they may have');
  const conditions = new Map(Object.entries(match));
  const eventType = optionalText('event_type', entry['event_type']);
  if (type === 'event' && eventType !== undefined) conditions.set('payload.event_type', eventType);
  if (type === 'file_change' && subject === null)
    throw new EntryError('event_subject', 'a file_change trigger names its paths as event_subject');
  if (subject === null && conditions.size === 0)
    throw new EntryError('event_subject', 'without event_subject, event_match or event_type the trigger matches nothing');
  return { type, subject, match: conditions };
};

const scheduled = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof ScheduleError) throw new EntryError(error.field, error.message);
    throw error;
  }
};

const text = (field: string, value: Value | undefined): string => {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new EntryError(field, value === undefined || value === null ? `${field} is missing` : `${field} is a text`);
};

const optionalText = (field: string, value: Value | undefined): string | undefined =>
  value === undefined || value === null ? undefined : text(field, value);

const oneOf = <T extends string>(field: string, value: Value | undefined, allowed: readonly T[]): T => {
  const found = allowed.find(each => each === value);
  if (found !== undefined) return found;
  throw new EntryError(field, `${field} is one of ${allowed.join(', ')}`);
};

const seconds = (field: string, value: Value): number => {
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value;
  throw new EntryError(field, `${field} is a number of seconds`);
};
