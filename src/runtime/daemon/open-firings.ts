import type { Cause } from '../planning/firing.ts';
import { type FiringRecord, readFiring } from '../records/firing-record.ts';
import { manualTrigger } from '../triggers/manual-trigger.ts';
import type { Trigger } from '../triggers/trigger.ts';
import type { Definitions } from './load-definitions.ts';
import type { RuntimeHost } from './runtime-host.ts';
import { type Fired, submitFiring } from './submit-firing.ts';

/** Most that are looked at in one go. */
const perRound = 200;

/** Makes the tasks of firings whose daemon died between the event and the task. What cannot be made any more is told each time. */
export const completeOpenFirings = async (host: RuntimeHost, definitions: Definitions): Promise<readonly Fired[]> => {
  const fired: Fired[] = [];
  for (const { eventId, trigger } of (await openFirings(host, definitions)).filter(open => open.trigger !== null).slice(0, perRound)) {
    const event = await host.events.findById(eventId);
    const record = event === null ? null : readFiring(event);
    const cause = record === null ? null : await causeOf(host, record);
    if (trigger !== null && cause !== null) fired.push(await submitFiring(host, trigger, cause));
  }
  return fired;
};

/** A firing on record that has no task yet. */
export interface OpenFiring {
  readonly eventId: string;
  readonly workflowPath: string;
  readonly triggerId: string;
  readonly scheduledFor: string;
  /** When it was recorded. */
  readonly at: string;
  /** Null when there is none any more, so that nobody can make the task. */
  readonly trigger: Trigger | null;
}

/** Those whose triggers are gone are among them for good, so they must not take the places of others. */
export const openFirings = async (host: RuntimeHost, definitions: Definitions): Promise<readonly OpenFiring[]> => {
  const rows = await host.projections.read(
    db =>
      db
        .prepare(
          `SELECT event_id AS eventId, workflow_id AS workflowId, workflow_path AS workflowPath, trigger_id AS triggerId,
             scheduled_for AS scheduledFor, at FROM runtime_firings WHERE task_path IS NOT NULL AND task_event_id IS NULL`,
        )
        .all() as (Omit<OpenFiring, 'trigger'> & { readonly workflowId: string })[],
  );
  return rows.map(row => ({ ...row, trigger: triggerOf(definitions, row) }));
};

const triggerOf = (
  { triggers, workflows }: Definitions,
  { workflowId, triggerId }: { readonly workflowId: string; readonly triggerId: string },
): Trigger | null => {
  const found = triggers.find(({ id, workflow }) => id === triggerId && workflow.id === workflowId);
  if (found !== undefined) return found;
  const workflow = workflows.find(({ id }) => id === workflowId);
  return workflow === undefined || triggerId !== manualTrigger(workflow).id ? null : manualTrigger(workflow);
};

const causeOf = async (host: RuntimeHost, record: FiringRecord): Promise<Cause | null> => {
  const at = Date.parse(record.scheduledFor);
  if (record.triggerEventId !== null) {
    const event = await host.events.findById(record.triggerEventId);
    return event === null ? null : { kind: 'event', event };
  }
  const { requestKey: key, requester: by } = record;
  if (key !== null && by !== null) return { kind: 'manual', at, key, by };
  return { kind: 'instant', at };
};
