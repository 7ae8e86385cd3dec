export { type ConditionState, conditionChange } from './conditions/condition-change.ts';
export { type ConditionEvaluator, type ConditionResult, createConditionEvaluator } from './conditions/condition-evaluator.ts';
export type { ConditionFacts, TypeCounts } from './conditions/condition-facts.ts';
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
export { matchesTrigger } from './triggers/matches-trigger.ts';
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
export { type SignedRequest, verifySignature } from './webhooks/verify-signature.ts';
export { repeatWindow, type WebhookMessage, webhookReceipt } from './webhooks/webhook-receipt.ts';
