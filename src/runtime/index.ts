export { type ConditionState, conditionChange } from './conditions/condition-change.ts';
export { type ConditionEvaluator, type ConditionResult, createConditionEvaluator } from './conditions/condition-evaluator.ts';
export type { ConditionFacts, TypeCounts } from './conditions/condition-facts.ts';
export { createAlarm, longestSleepMs, runDaemonLoop, type WakeUps } from './daemon/daemon-loop.ts';
export { createDaemonRounds, type DaemonRounds, type Round } from './daemon/daemon-rounds.ts';
export { type FireRequest, fireOnRequest } from './daemon/fire-on-request.ts';
export { type Definitions, loadDefinitions } from './daemon/load-definitions.ts';
export type { RuntimeHost } from './daemon/runtime-host.ts';
export { type NextFiring, type RuntimeRow, type RuntimeStatus, runtimeStatus } from './daemon/runtime-status.ts';
export { catchUpCap } from './daemon/schedule-round.ts';
export type { Fired } from './daemon/submit-firing.ts';
export { createExecutors, type ExecutorOptions } from './executors/create-executors.ts';
export type { Execution, ExecutionOutcome, Executor, ExecutorDocument, HumanDecision, RunStep, RunVault } from './executors/executor.ts';
export {
  type CommandSetting,
  checkExecutorSettings,
  type ExecutorSettings,
  ExecutorSettingsError,
  noExecutorSettings,
  printExecutorSettings,
  type ServiceSetting,
} from './executors/executor-settings.ts';
export { type ConcurrencyDecision, decideConcurrency } from './planning/decide-concurrency.ts';
export { countedUpTo, type DueInstants, dueInstants } from './planning/due-instants.ts';
export { type Cause, type FiringIdentity, firingIdentity, type Requester } from './planning/firing.ts';
export { type PlannedEnvelope, type PlannedFiring, planFiring } from './planning/plan-firing.ts';
export { hasDefinitions, runtimeProjection } from './records/runtime-projection.ts';
export { workProjection } from './records/work-projection.ts';
export { assistantPath, assistantSlug, roleName, skillPaths } from './rights/named-documents.ts';
export { outsideReason, taskOutside } from './rights/outside-reason.ts';
export { authorCapabilities, type RightsSources, runRights } from './rights/run-rights.ts';
export { isRuntimes, runtimePrincipal, runtimePrincipalId } from './runtime-principal.ts';
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
export { cancelTask, closeInterrupted, decideTask } from './work/cancel-task.ts';
export { type ClaimedTask, type ClaimRequest, claimTask } from './work/claim-task.ts';
export { type ClaimTicket, finishExternally, reportExternalStep } from './work/external-work.ts';
export { nextAttemptAfter } from './work/find-claimable.ts';
export { type Held, holderOf } from './work/held-task.ts';
export { listRuns, listTasks, type RunRow, type TaskRow, type WorkFilter } from './work/list-work.ts';
export type { Ending } from './work/run-ending.ts';
export { type ExecutorName, executorNames, type Task, taskStatuses } from './work/task.ts';
export { createTaskWorker, type TaskWorker, type Turn } from './work/task-worker.ts';
export { lastEvent, type WorkDocuments } from './work/work-documents.ts';
