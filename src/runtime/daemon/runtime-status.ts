import type Database from 'better-sqlite3';
import { createConditionEvaluator } from '../conditions/condition-evaluator.ts';
import { countedUpTo } from '../planning/due-instants.ts';
import { isoSeconds } from '../planning/firing.ts';
import { findOwner } from '../triggers/find-owner.ts';
import { evaluateConditions } from './condition-round.ts';
import { type Definitions, loadDefinitions } from './load-definitions.ts';
import { openFirings } from './open-firings.ts';
import type { RuntimeHost } from './runtime-host.ts';
import { owed, type ScheduledTrigger, scheduleOf } from './schedule-round.ts';

/** Something about workflows that needs a person; the rows that `status` shows beside drift. */
export interface RuntimeRow {
  readonly kind: 'trigger_error' | 'missed' | 'owner_conflict';
  readonly path: string;
  readonly reason: string;
}

export interface NextFiring {
  readonly workflow_id: string;
  readonly trigger_id: string;
  readonly path: string;
  readonly at: string;
}

export interface RuntimeStatus {
  /** Why nothing acts by itself in this vault; null when a daemon would. */
  readonly waits: string | null;
  readonly active_triggers: number;
  /** The next instant of each schedule, the earliest first. */
  readonly next: readonly NextFiring[];
  readonly rows: readonly RuntimeRow[];
}

const mostNext = 100;

/** What comes next, what was missed, and what keeps triggers from firing. Changes nothing; any process can ask, whether a daemon runs or not. */
export const runtimeStatus = async (host: RuntimeHost): Promise<RuntimeStatus> => {
  await host.projections.level();
  const definitions = await loadDefinitions(host);
  const schedules = definitions.active.map(scheduleOf).filter(each => each !== null);
  const now = host.now();
  const next = schedules
    .flatMap(({ trigger, schedule }) => {
      const at = schedule.next(now);
      return at === null
        ? []
        : [{ workflow_id: trigger.workflow.id, trigger_id: trigger.id, path: trigger.path, at: isoSeconds(at) } satisfies NextFiring];
    })
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const rows = [
    ...faultRows(definitions),
    ...(await conditionRows(host, definitions, now)),
    ...(await openRows(host, definitions)),
    ...(await host.projections.read(db => [...missedRows(db, schedules, now), ...chainRows(db), ...ownerRows(db, definitions)])),
  ];
  return { waits: host.mayNotAct(), active_triggers: definitions.active.length, next: next.slice(0, mostNext), rows };
};

const faultRows = ({ faults }: Definitions): readonly RuntimeRow[] =>
  faults.map(({ path, triggerId, field, reason }) => ({
    kind: 'trigger_error',
    path,
    reason: triggerId === null ? `${field}: ${reason}` : `trigger '${triggerId}', ${field}: ${reason}`,
  }));

const conditionRows = async (host: RuntimeHost, { active }: Definitions, now: number): Promise<readonly RuntimeRow[]> => {
  const triggers = active.map(({ trigger }) => trigger).filter(({ selector }) => selector.type === 'condition');
  if (triggers.length === 0) return [];
  const evaluator = createConditionEvaluator();
  try {
    const evaluated = await evaluateConditions(host, evaluator, triggers, now);
    return evaluated.flatMap(({ trigger, result }) =>
      result.kind === 'value'
        ? []
        : [{ kind: 'trigger_error' as const, path: trigger.path, reason: `trigger '${trigger.id}', x_when: ${result.reason}` }],
    );
  } finally {
    await evaluator.close();
  }
};

const mostOpen = 100;
/** A daemon needs a moment between the record of a firing and its task. */
const makingMs = 10_000;

/** Firings whose task is not made: because nobody can any more, or because something keeps it from being written. */
const openRows = async (host: RuntimeHost, definitions: Definitions): Promise<readonly RuntimeRow[]> =>
  (await openFirings(host, definitions))
    .filter(({ trigger, at }) => trigger === null || host.now() - Date.parse(at) > makingMs)
    .slice(0, mostOpen)
    .map(({ workflowPath: path, triggerId, scheduledFor, trigger }) => ({
      kind: 'trigger_error',
      path,
      reason: `trigger '${triggerId}' fired for ${scheduledFor}${
        trigger === null
          ? ' and is gone since, so its task was never made'
          : ', and its task is not made yet: no daemon has looked since, or it cannot be written; `sheaf daemon --once` says why'
      }`,
    }));

const missedRows = (db: Database.Database, schedules: readonly ScheduledTrigger[], now: number): readonly RuntimeRow[] =>
  schedules.flatMap(scheduled => {
    const { trigger } = scheduled;
    const { due, missed } = owed(db, scheduled, now);
    const overdue = due.filter(at => at < now - trigger.misfireGrace).length;
    const row = (count: number, what: string): RuntimeRow => ({
      kind: 'missed',
      path: trigger.path,
      reason: `trigger '${trigger.id}': ${count === countedUpTo ? `${count} or more` : count} missed; ${what}`,
    });
    if (overdue > 0) return [row(missed + overdue, 'no daemon has looked since: `sheaf daemon`')];
    if (missed > 0) return [row(missed, `misfire_policy is ${trigger.misfirePolicy}, so they get no work`)];
    const late = lateBy(db, scheduled);
    return late === null ? [] : [row(late.count, `the one of ${late.scheduledFor} was made up for at ${late.at}`)];
  });

/** What the last firing made up for; null when it came in time. */
const lateBy = (db: Database.Database, { trigger, schedule, enabled }: ScheduledTrigger) => {
  const [last, before] = db
    .prepare(
      'SELECT scheduled_for, at FROM runtime_firings WHERE workflow_id = ? AND trigger_id = ? AND scheduled = 1 ORDER BY scheduled_for DESC LIMIT 2',
    )
    .all(trigger.workflow.id, trigger.id) as { scheduled_for: string; at: string }[];
  if (last === undefined) return null;
  const scheduledFor = Date.parse(last.scheduled_for);
  if (Date.parse(last.at) - scheduledFor <= trigger.misfireGrace) return null;
  let count = 1;
  const since = Math.max(enabled.at, before === undefined ? enabled.at : Date.parse(before.scheduled_for));
  for (let at = schedule.next(since); at !== null && at < scheduledFor && count < countedUpTo; at = schedule.next(at)) count += 1;
  return { count, scheduledFor: last.scheduled_for, at: last.at };
};

/** Firings that were not made because nobody can have meant them. */
const chainRows = (db: Database.Database): readonly RuntimeRow[] =>
  (
    db
      .prepare(
        `SELECT trigger_id, workflow_path AS path, reason FROM runtime_firings
         WHERE task_path IS NULL AND reason LIKE 'the chain of causes%' GROUP BY workflow_id, trigger_id`,
      )
      .all() as { trigger_id: string; path: string; reason: string }[]
  ).map(({ trigger_id: id, path, reason }) => ({ kind: 'trigger_error', path, reason: `trigger '${id}' did not fire: ${reason}` }));

/** Documents that several assistants claim equally well, told once for each pair of claims. */
const ownerRows = (db: Database.Database, { claims }: Definitions): readonly RuntimeRow[] => {
  if (claims.filter(({ owns }) => owns.length > 0).length < 2) return [];
  const rows = new Map<string, RuntimeRow>();
  const subjects = [
    ...(db.prepare('SELECT path FROM work_documents ORDER BY path').all() as { path: string }[]).map(({ path }) => path),
    ...claims.flatMap(({ owns }) => owns),
  ];
  for (const subject of subjects) {
    const owner = findOwner(subject, claims);
    if (owner.kind !== 'tied') continue;
    const told = owner.claims.map(({ assistant, claim }) => `${assistant} (${claim})`).join(', ');
    if (!rows.has(told)) {
      rows.set(told, {
        kind: 'owner_conflict',
        path: owner.claims[0]!.assistant,
        reason: `several assistants own '${subject}' equally well, so none does: ${told}`,
      });
    }
  }
  return [...rows.values()];
};
