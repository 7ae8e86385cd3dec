import type Database from 'better-sqlite3';
import type { ExecutorName, TaskStatus } from './task.ts';

export interface TaskRow {
  readonly path: string;
  readonly title: string | null;
  readonly status: TaskStatus;
  readonly priority: number;
  readonly workflow_id: string | null;
  readonly trigger_id: string | null;
  readonly scheduled_for: string | null;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly executor: ExecutorName;
  readonly claimed_by: string | null;
  readonly run_path: string | null;
  /** What a person is asked. */
  readonly question: string | null;
  /** Why it could not be worked on when it was looked at last. */
  readonly blocked: string | null;
}

export interface WorkFilter {
  readonly status?: string | undefined;
  readonly workflow?: string | undefined;
  readonly task?: string | undefined;
  readonly limit: number;
  /** Continue behind this path, or this run. */
  readonly after?: string | undefined;
}

interface Page<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
}

/** Tasks in the order of their paths. */
export const listTasks = (db: Database.Database, { status, workflow, limit, after }: WorkFilter): Page<TaskRow> => {
  const found = db
    .prepare(
      `SELECT path, title, status, priority, workflow_id, trigger_id, scheduled_for, attempts, not_before, executor, claimed_by, run_path,
         waits AS question, blocked FROM work_tasks
       WHERE path > @after AND (@status IS NULL OR status = @status) AND (@workflow IS NULL OR workflow_id = @workflow) ORDER BY path LIMIT @limit`,
    )
    .all({ status: status ?? null, workflow: workflow ?? null, limit: limit + 1, after: after ?? '' }) as (Omit<
    TaskRow,
    'next_attempt_at'
  > & {
    not_before: number;
  })[];
  const rows = found.map(({ not_before: at, ...row }) => ({ ...row, next_attempt_at: at === 0 ? null : new Date(at).toISOString() }));
  return page(rows, limit, row => row.path);
};

export interface RunRow {
  readonly path: string;
  readonly run_id: string | null;
  readonly title: string | null;
  readonly workflow_id: string | null;
  readonly task_path: string | null;
  readonly status: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly step_count: number | null;
  readonly claimed_by: string | null;
}

/** Runs, the latest first. */
export const listRuns = (db: Database.Database, { status, workflow, task, limit, after }: WorkFilter): Page<RunRow> => {
  const [startedAt = null, path = ''] = after === undefined ? [] : (JSON.parse(after) as [string, string]);
  const found = db
    .prepare(
      `SELECT path, run_id, title, workflow_id, task_path, status, started_at, ended_at, step_count, claimed_by FROM work_runs
       WHERE (@status IS NULL OR status = @status) AND (@workflow IS NULL OR workflow_id = @workflow) AND (@task IS NULL OR task_path = @task)
         AND (@after = '' OR coalesce(started_at, '') < @started OR (coalesce(started_at, '') = @started AND path > @after))
       ORDER BY coalesce(started_at, '') DESC, path LIMIT @limit`,
    )
    .all({
      status: status ?? null,
      workflow: workflow ?? null,
      task: task ?? null,
      limit: limit + 1,
      after: path,
      started: startedAt ?? '',
    }) as RunRow[];
  return page(found, limit, row => JSON.stringify([row.started_at ?? '', row.path]));
};

const page = <T>(found: readonly T[], limit: number, keyOf: (row: T) => string): Page<T> => {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? keyOf(last) : null };
};
