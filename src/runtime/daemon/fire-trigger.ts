import type Database from 'better-sqlite3';
import { reasonOf } from '#errors';
import { decideConcurrency } from '../planning/decide-concurrency.ts';
import { type Cause, firingIdentity } from '../planning/firing.ts';
import type { Trigger } from '../triggers/trigger.ts';
import { cancelTask } from '../work/cancel-task.ts';
import type { RuntimeHost } from './runtime-host.ts';
import { type Fired, submitFiring } from './submit-firing.ts';

const earlierWorkIsActive = 'earlier work of this trigger is active';

/** Fires a trigger as its concurrency policy asks (§11.8): counted per workflow and trigger. */
export const fireTrigger = async (host: RuntimeHost, trigger: Trigger, cause: Cause): Promise<Fired> => {
  const active = await host.projections.read(db => activeTasks(db, trigger));
  switch (decideConcurrency(trigger.concurrency, active.length)) {
    case 'skip':
      return submitFiring(host, trigger, cause, earlierWorkIsActive);
    case 'replace':
      return replaceActive(host, trigger, cause, active);
    default:
      return submitFiring(host, trigger, cause);
  }
};

/** Ends the earlier work first, unless the firing is on record: then what is active may be its own work. */
const replaceActive = async (host: RuntimeHost, trigger: Trigger, cause: Cause, active: readonly string[]): Promise<Fired> => {
  const { eventKey, scheduledFor } = firingIdentity(host.workspaceId, trigger, cause);
  if ((await host.events.findByIdempotencyKey(host.workspaceId, eventKey)) === null) {
    for (const path of active) {
      try {
        await cancelTask(host, path, `replaced by the work of ${scheduledFor}`);
      } catch (error) {
        const reason = `the earlier work at '${path}' could not be ended: ${reasonOf(error)}`;
        return { outcome: 'failed', trigger, scheduledFor, taskPath: null, eventId: null, reason };
      }
    }
  }
  return submitFiring(host, trigger, cause);
};

/** Tasks somebody works on, or that are in the middle of their tries. */
const activeTasks = (db: Database.Database, trigger: Trigger): readonly string[] =>
  (
    db
      .prepare(
        `SELECT path FROM work_tasks t WHERE workflow_id = ? AND trigger_id = ? AND status IN ('in_progress', 'pending') AND (status = 'in_progress' OR EXISTS (
           SELECT 1 FROM work_runs r WHERE r.task_path = t.path AND r.status IN ('queued', 'claimed', 'running', 'waiting_for_human', 'retrying')))
         ORDER BY path`,
      )
      .all(trigger.workflow.id, trigger.id) as { path: string }[]
  ).map(({ path }) => path);
