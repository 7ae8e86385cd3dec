export type { Execution, ExecutionOutcome, Executor, ExecutorDocument, HumanDecision, RunStep, RunVault } from './executors/executor.ts';
export { type ConcurrencyDecision, decideConcurrency } from './planning/decide-concurrency.ts';
export { countedUpTo, type DueInstants, dueInstants } from './planning/due-instants.ts';
export { type Cause, type FiringIdentity, firingIdentity } from './planning/firing.ts';
export { type PlannedEnvelope, type PlannedFiring, planFiring } from './planning/plan-firing.ts';
export { cronSchedule } from './schedule/cron.ts';
export { intervalSchedule } from './schedule/interval.ts';
export { type Schedule, ScheduleError } from './schedule/schedule.ts';
export { type Claim, findOwner, type Ownership } from './triggers/find-owner.ts';
export { matchesEvent } from './triggers/matches-event.ts';
export { readTriggers, type Triggers } from './triggers/read-triggers.ts';
export type {
  ConcurrencyPolicy,
  MisfirePolicy,
  RuntimeDocument,
  Selector,
  Trigger,
  TriggerFault,
  TriggerType,
  Workflow,
} from './triggers/trigger.ts';
