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
  const open = await host.projections.read(
    db =>
      db.prepare('SELECT event_id FROM runtime_firings WHERE task_path IS NOT NULL AND task_event_id IS NULL LIMIT ?').all(perRound) as {
        event_id: string;
      }[],
  );
  const fired: Fired[] = [];
  for (const { event_id: id } of open) {
    const event = await host.events.findById(id);
    const record = event === null ? null : readFiring(event);
    if (record === null) continue;
    const trigger = triggerOf(definitions, record);
    const cause = await causeOf(host, record);
    if (trigger !== null && cause !== null) fired.push(await submitFiring(host, trigger, cause));
  }
  return fired;
};

/** The trigger of a firing; null when there is none any more. */
export const triggerOf = ({ triggers, workflows }: Definitions, { workflowId, triggerId }: FiringRecord): Trigger | null => {
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
