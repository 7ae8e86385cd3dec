import type { CallOptions, Transport } from './transport.ts';

/** What became of a firing. */
export interface Firing {
  readonly outcome: 'created' | 'exists' | 'skipped';
  readonly workflow_id: string;
  readonly trigger_id: string;
  readonly scheduled_for: string;
  readonly task_path: string | null;
  readonly event_id: string | null;
  readonly reason: string | null;
}

/** A claim on a task; it goes along with every report. */
export interface TaskClaim {
  readonly task_path: string;
  readonly run_path: string;
  readonly lease_id: string;
  readonly operation_id: string;
}

/** A task as it stands after a report. */
export interface TaskState {
  readonly task_path: string;
  readonly status: 'pending' | 'in_progress' | 'done' | 'failed';
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly run_path: string | null;
}

export interface StepOptions extends CallOptions {
  /** One line. */
  readonly name?: string;
  readonly status?: 'ok' | 'failed' | 'waiting' | 'note';
  /** Paths of documents that shaped the step. */
  readonly provenance?: readonly string[];
  readonly ttlSeconds?: number;
}

/** Work on time (§11.8). Whatever is refused is thrown as `SheafError`. */
export interface WorkCalls {
  /** Fires a workflow; the same key fires once, and one is made when none is given. */
  fire(workflow: string, options?: CallOptions & { readonly trigger?: string; readonly key?: string }): Promise<Firing>;
  /** Claims a task, or the next one; `not_found` when there is none. */
  claim(options: CallOptions & { readonly worker: string; readonly task?: string; readonly ttlSeconds?: number }): Promise<TaskClaim>;
  /** Reports one step and keeps the claim alive. */
  step(
    claim: TaskClaim,
    text: string,
    options?: StepOptions,
  ): Promise<{ readonly run_path: string; readonly step: number; readonly expires_at: string }>;
  /** Ends the try: `pending` has it tried again later. */
  finish(
    claim: TaskClaim,
    status: 'done' | 'failed' | 'pending' | 'waiting_for_human' | 'canceled',
    options?: CallOptions & { readonly text?: string },
  ): Promise<TaskState>;
}

export const createWorkCalls = (transport: Transport): WorkCalls => {
  const post = <T>(
    path: string,
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
    repeatable: boolean,
  ): Promise<T> =>
    transport.call({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      repeatable,
      signal,
    });
  const ticket = ({ task_path: task, lease_id, operation_id }: TaskClaim) => ({ task, lease_id, operation_id });
  return {
    fire: (workflow, { signal, trigger, key = crypto.randomUUID() } = {}) =>
      post('/v1/workflows/fire', { workflow, trigger, key }, signal, true),
    // Not repeatable: the claim whose answer was lost would stand in the way of the next one.
    claim: ({ signal, worker, task, ttlSeconds }) => post('/v1/tasks/claim', { worker, task, ttl_seconds: ttlSeconds }, signal, false),
    step: (claim, text, { signal, ttlSeconds, ...rest } = {}) =>
      post('/v1/tasks/step', { ...ticket(claim), text, ...rest, ttl_seconds: ttlSeconds, key: crypto.randomUUID() }, signal, true),
    finish: (claim, status, { signal, text } = {}) => post('/v1/tasks/finish', { ...ticket(claim), status, text }, signal, true),
  };
};
