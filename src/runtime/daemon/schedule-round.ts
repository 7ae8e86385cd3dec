import type Database from 'better-sqlite3';
import { reasonOf } from '#errors';
import { type DueInstants, dueInstants } from '../planning/due-instants.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { Trigger } from '../triggers/trigger.ts';
import { createDueQueue, type DueQueue } from './due-queue.ts';
import { fireTrigger } from './fire-trigger.ts';
import type { ActiveTrigger } from './load-definitions.ts';
import type { RuntimeHost } from './runtime-host.ts';
import { type Fired, failed } from './submit-firing.ts';

/** Instants of one trigger that are made into work in one look, so that a long absence ends in steps (readings: missed instants). */
export const catchUpCap = 20;

const retryMs = 5_000;

export interface ScheduledTrigger extends ActiveTrigger {
  readonly schedule: Schedule;
}

export interface ScheduleRound {
  readonly fired: readonly Fired[];
  /** Triggers whose schedules were looked at. */
  readonly looked: number;
  /** Some trigger reached its cap. */
  readonly more: boolean;
}

export const scheduleOf = (active: ActiveTrigger): ScheduledTrigger | null => {
  const { selector } = active.trigger;
  return selector.type === 'cron' || selector.type === 'interval' ? { ...active, schedule: selector.schedule } : null;
};

/** The last instant of a trigger's schedule that has an event, whether it made work or was skipped; null when none has. */
const lastScheduled = (db: Database.Database, { workflow, id }: Trigger): number | null => {
  const row = db
    .prepare('SELECT max(scheduled_for) AS last FROM runtime_firings WHERE workflow_id = ? AND trigger_id = ? AND scheduled = 1')
    .get(workflow.id, id) as { last: string | null };
  return row.last === null ? null : Date.parse(row.last);
};

/** What a schedule owes at `now`, as log and definition have it. */
export const owed = (db: Database.Database, { trigger, enabled, schedule }: ScheduledTrigger, now: number): DueInstants => {
  const since = Math.max(enabled.at, lastScheduled(db, trigger) ?? enabled.at);
  return dueInstants(schedule, { since, now, grace: trigger.misfireGrace, policy: trigger.misfirePolicy, cap: catchUpCap });
};

/** Queues every schedule under its first instant that has no event yet. */
export const queueSchedules = (db: Database.Database, triggers: readonly ScheduledTrigger[]): DueQueue<ScheduledTrigger> => {
  const queue = createDueQueue<ScheduledTrigger>();
  for (const scheduled of triggers) {
    const since = Math.max(scheduled.enabled.at, lastScheduled(db, scheduled.trigger) ?? scheduled.enabled.at);
    const next = scheduled.schedule.next(since);
    if (next !== null) queue.add(next, scheduled);
  }
  return queue;
};

/** Fires what is due, each trigger's instants in order. One that cannot be fired now is tried again soon, and no later one of its trigger before it. */
export const runScheduleRound = async (host: RuntimeHost, queue: DueQueue<ScheduledTrigger>, now: number): Promise<ScheduleRound> => {
  const fired: Fired[] = [];
  let more = false;
  const due = queue.take(now);
  for (const scheduled of due) {
    let again: number | null = now + retryMs;
    try {
      const { due: instants, more: left, next } = await host.projections.read(db => owed(db, scheduled, now));
      const results = await fireInOrder(host, scheduled.trigger, instants);
      fired.push(...results);
      if (results.at(-1)?.outcome !== 'failed') {
        more ||= left;
        again = left ? now : next;
      }
    } catch (error) {
      // The others are still due, and this one stays so.
      fired.push(failed(scheduled.trigger, { kind: 'instant', at: now }, reasonOf(error)));
    } finally {
      if (again !== null) queue.add(again, scheduled);
    }
  }
  return { fired, looked: due.length, more };
};

const fireInOrder = async (
  host: RuntimeHost,
  trigger: ActiveTrigger['trigger'],
  instants: readonly number[],
): Promise<readonly Fired[]> => {
  const fired: Fired[] = [];
  for (const at of instants) {
    const result = await fireTrigger(host, trigger, { kind: 'instant', at });
    fired.push(result);
    if (result.outcome === 'failed') break;
  }
  return fired;
};
