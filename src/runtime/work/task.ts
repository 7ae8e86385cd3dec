import type { FrontmatterMap, Value } from '#document';

export const taskStatuses = ['pending', 'in_progress', 'done', 'failed'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const executorNames = ['assistant', 'command', 'http', 'external'] as const;
export type ExecutorName = (typeof executorNames)[number];

/** A `task` document as workers and people see it (§5.4, §11.8). Instants of `notBefore` in milliseconds since 1970. */
export interface Task {
  readonly path: string;
  readonly hash: string;
  readonly title: string | null;
  readonly status: TaskStatus;
  readonly priority: number;
  readonly workflowId: string | null;
  readonly workflowPath: string | null;
  readonly triggerId: string | null;
  readonly scheduledFor: string | null;
  /** What orders tasks of equal priority: `scheduled_for`, else `timestamp`. */
  readonly queuedAt: string | null;
  /** 0 when it may be worked on at once. */
  readonly notBefore: number;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly executor: ExecutorName;
  /** Tasks of one queue are worked on one after the other (`concurrency: enqueue`); null for all others. */
  readonly queue: string | null;
  /** The record of the last try. */
  readonly runPath: string | null;
  readonly claimedBy: string | null;
  /** The lease of the claim. */
  readonly claimId: string | null;
  /** The principal that claimed it, who alone may report on it. */
  readonly claimedAs: string | null;
  /** What a person is asked; nothing goes on before the answer. */
  readonly waits: string | null;
  /** Why it could not be worked on when it was looked at last. */
  readonly blocked: string | null;
  readonly deferrals: number;
}

const defaultMaxAttempts = 3;
const mostAttempts = 100;

/** Reads any task, also one that was written by hand: what does not fit counts as absent. */
export const readTask = ({ path, hash, data }: { readonly path: string; readonly hash: string; readonly data: FrontmatterMap }): Task => {
  const workflowId = text(data['workflow_id']);
  const triggerId = text(data['trigger_id']);
  const scheduledFor = text(data['scheduled_for']);
  const maxAttempts = count(data['x_max_attempts']);
  return {
    path,
    hash,
    title: text(data['title']),
    status: taskStatuses.find(status => status === data['status']) ?? 'pending',
    priority: priorityOf(data['priority']),
    workflowId,
    workflowPath: text(data['workflow_path'])?.replace(/^\//, '') ?? null,
    triggerId,
    scheduledFor,
    queuedAt: scheduledFor ?? text(data['timestamp']),
    notBefore: instant(data['next_attempt_at']),
    attempts: count(data['attempts']),
    maxAttempts: maxAttempts === 0 ? defaultMaxAttempts : Math.min(maxAttempts, mostAttempts),
    executor: executorOf(data),
    queue: data['x_concurrency'] === 'enqueue' ? JSON.stringify([workflowId, triggerId]) : null,
    runPath: text(data['x_run_path']),
    claimedBy: text(data['claimed_by']),
    claimId: text(data['claim_id']),
    claimedAs: text(data['x_claimed_as']),
    waits: text(data['x_waiting_for_human']),
    blocked: text(data['x_blocked']),
    deferrals: count(data['x_deferrals']),
  };
};

/** Who does the work: `x_executor`, else the assistant that is named, else whoever claims it. */
const executorOf = (data: FrontmatterMap): ExecutorName => {
  const named = executorNames.find(name => name === data['x_executor']);
  if (named !== undefined) return named;
  return text(data['x_assistant']) !== null || text(data['assistant']) !== null ? 'assistant' : 'external';
};

const words: Readonly<Record<string, number>> = { absolute: 100, urgent: 90, high: 75, normal: 50, medium: 50, low: 25 };

/** A number, higher first; the words that people use have their places on the same scale. */
const priorityOf = (value: Value | undefined): number => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return (typeof value === 'string' && Object.hasOwn(words, value.toLowerCase()) ? words[value.toLowerCase()] : undefined) ?? 50;
};

const text = (value: Value | undefined): string | null => (typeof value === 'string' && value !== '' ? value : null);

const count = (value: Value | undefined): number => (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0);

/** What is no time keeps nobody waiting. */
const instant = (value: Value | undefined): number => {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? 0 : at;
};
