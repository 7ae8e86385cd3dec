import type Database from 'better-sqlite3';
import { type ConditionState, conditionChange } from '../conditions/condition-change.ts';
import { type ConditionEvaluator, type ConditionResult, createConditionEvaluator } from '../conditions/condition-evaluator.ts';
import type { ConditionFacts, TypeCounts } from '../conditions/condition-facts.ts';
import { runtimePrincipal } from '../runtime-principal.ts';
import type { Trigger } from '../triggers/trigger.ts';
import type { ActiveTrigger } from './load-definitions.ts';
import type { RuntimeHost } from './runtime-host.ts';

const minute = 60_000;

export interface ConditionWatch {
  use(triggers: readonly ActiveTrigger[]): void;
  /** Evaluates every condition, once in each UTC minute, and records those that changed. */
  run(at: number): Promise<void>;
  /** When conditions are evaluated next; null when there are none. */
  next(at: number): number | null;
  close(): Promise<void>;
}

/** Conditions become events: from there on they are work that an event causes (readings: conditions of triggers). */
export const createConditionWatch = (host: RuntimeHost): ConditionWatch => {
  let triggers: readonly Trigger[] = [];
  let evaluator: ConditionEvaluator | null = null;
  let last = -1;
  return {
    use(active) {
      triggers = active.map(({ trigger }) => trigger).filter(({ selector }) => selector.type === 'condition');
    },
    async run(at) {
      const now = Math.floor(at / minute);
      if (triggers.length === 0 || now === last) return;
      last = now;
      evaluator ??= createConditionEvaluator();
      for (const { trigger, result, state } of await evaluateConditions(host, evaluator, triggers, at)) {
        const change = result.kind === 'value' ? conditionChange(host.workspaceId, trigger, state, result.value) : null;
        // Another daemon may have seen the change first; the key lets one of them record it.
        if (change !== null) await host.execute(change, { principal: runtimePrincipal(host.workspaceId) });
      }
    },
    next: at => (triggers.length === 0 ? null : (Math.floor(at / minute) + 1) * minute),
    async close() {
      await evaluator?.close();
      evaluator = null;
    },
  };
};

export interface EvaluatedCondition {
  readonly trigger: Trigger;
  readonly result: ConditionResult;
  readonly state: ConditionState;
}

export const evaluateConditions = async (
  host: RuntimeHost,
  evaluator: ConditionEvaluator,
  triggers: readonly Trigger[],
  at: number,
): Promise<readonly EvaluatedCondition[]> => {
  const { facts, states } = await host.projections.read(db => ({
    facts: { now: Math.floor(at / minute) * minute, counts: countDocuments(db) } satisfies ConditionFacts,
    states: triggers.map(trigger => stateOf(db, trigger)),
  }));
  const evaluated: EvaluatedCondition[] = [];
  for (const [index, trigger] of triggers.entries()) {
    if (trigger.selector.type !== 'condition') continue;
    evaluated.push({ trigger, result: await evaluator.evaluate(trigger.selector.when, facts), state: states[index]! });
  }
  return evaluated;
};

const stateOf = (db: Database.Database, { workflow, id }: Trigger): ConditionState => {
  const row = db.prepare('SELECT value, event_id FROM runtime_conditions WHERE workflow_id = ? AND trigger_id = ?').get(workflow.id, id) as
    | { value: number; event_id: string }
    | undefined;
  return row === undefined ? { value: false, eventId: null } : { value: row.value === 1, eventId: row.event_id };
};

const countDocuments = (db: Database.Database): Readonly<Record<string, TypeCounts>> => {
  const rows = db
    .prepare('SELECT type, status, count(*) AS count FROM work_documents WHERE type IS NOT NULL GROUP BY type, status')
    .all() as {
    type: string;
    status: string | null;
    count: number;
  }[];
  const counts: Record<string, { total: number; byStatus: Record<string, number> }> = {};
  for (const { type, status, count } of rows) {
    counts[type] ??= { total: 0, byStatus: Object.create(null) as Record<string, number> };
    const entry = counts[type];
    entry.total += count;
    if (status !== null) entry.byStatus[status] = count;
  }
  return counts;
};
