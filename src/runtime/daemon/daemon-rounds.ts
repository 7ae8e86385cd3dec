import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '#errors';
import { closeInterrupted } from '../work/cancel-task.ts';
import { createConditionWatch } from './condition-round.ts';
import type { DueQueue } from './due-queue.ts';
import { createEventWatch } from './event-round.ts';
import { type Definitions, definitionsStamp, loadDefinitions } from './load-definitions.ts';
import { completeOpenFirings } from './open-firings.ts';
import type { RuntimeHost } from './runtime-host.ts';
import { queueSchedules, runScheduleRound, type ScheduledTrigger, scheduleOf } from './schedule-round.ts';
import type { Fired } from './submit-firing.ts';

/** What one look at the vault did. */
export interface Round {
  readonly at: number;
  readonly fired: readonly Fired[];
  /** Tasks whose workers were gone. */
  readonly interrupted: readonly string[];
  /** Schedules and events that were looked at: what the round cost. */
  readonly looked: { readonly schedules: number; readonly events: number; readonly definitions: number };
  /** There is more to do at once. */
  readonly more: boolean;
  /** When the next instant of a schedule comes; null when there is none. */
  readonly next: number | null;
  /** Why nothing was done; null when the daemon may act. */
  readonly waits: string | null;
}

export interface DaemonRounds {
  /** The loop of §11.8 once, at the host's clock. Any number of daemons may do this at once, and any of them may die anywhere in it. */
  round(): Promise<Round>;
  close(): Promise<void>;
}

/**
 * The daemon's memory between rounds is a queue of instants and a place in the log; both follow from vault and log, so a daemon that begins anew, or
 * another one, finds the same.
 */
export const createDaemonRounds = (host: RuntimeHost): DaemonRounds => {
  const watch = createEventWatch(host);
  const conditions = createConditionWatch(host);
  let definitions: Definitions | null = null;
  let queue: DueQueue<ScheduledTrigger> | null = null;

  const refresh = async (): Promise<{
    readonly current: Definitions;
    readonly queued: DueQueue<ScheduledTrigger>;
    readonly read: number;
  }> => {
    const stamp = await host.projections.read(definitionsStamp);
    if (definitions !== null && queue !== null && definitions.stamp === stamp) return { current: definitions, queued: queue, read: 0 };
    const current = await loadSettled(host);
    const schedules = current.active.map(scheduleOf).filter(each => each !== null);
    const queued = await host.projections.read(db => queueSchedules(db, schedules));
    [definitions, queue] = [current, queued];
    watch.use(current);
    conditions.use(current.active);
    return { current, queued, read: current.triggers.length };
  };

  return {
    async round() {
      const at = host.now();
      const waits = host.mayNotAct();
      if (waits !== null)
        return { at, fired: [], interrupted: [], looked: { schedules: 0, events: 0, definitions: 0 }, more: false, next: null, waits };
      await host.projections.level();
      const { current, queued, read } = await refresh();
      const interrupted = await closeAllInterrupted(host);
      const completed = await completeOpenFirings(host, current);
      const schedules = await runScheduleRound(host, queued, at);
      await conditions.run(at);
      const events = await watch.run();
      return {
        at,
        fired: [...completed, ...schedules.fired, ...events.fired],
        interrupted,
        looked: { schedules: schedules.looked, events: events.looked, definitions: read },
        more: schedules.more || events.more,
        next: earliest(queued.next(), conditions.next(at)),
        waits: null,
      };
    },
    close: () => conditions.close(),
  };
};

/** Longer than a write takes between the file and its event. */
const writingMs = 200;
const lookMs = 20;

/** The definitions once none is in the middle of a write: until its event is there its triggers do not count, and what came meanwhile would be passed over. */
const loadSettled = async (host: RuntimeHost): Promise<Definitions> => {
  let current = await loadDefinitions(host);
  for (let waited = 0; waited < writingMs && current.faults.some(({ field }) => field === 'document'); waited += lookMs) {
    await delay(lookMs);
    await host.projections.level();
    current = await loadDefinitions(host);
  }
  return current;
};

const earliest = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other);

const closeAllInterrupted = async (host: RuntimeHost): Promise<readonly string[]> => {
  const begun = await host.projections.read(
    db => db.prepare(`SELECT path FROM work_tasks WHERE status = 'in_progress' AND run_path IS NOT NULL`).all() as { path: string }[],
  );
  const closed: string[] = [];
  for (const { path } of begun) {
    try {
      if (await closeInterrupted(host, path)) closed.push(path);
    } catch (error) {
      // Another daemon or the worker itself came first; if not, the next round finds it again.
      void reasonOf(error);
    }
  }
  return closed;
};
