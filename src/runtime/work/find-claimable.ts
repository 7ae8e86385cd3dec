import type Database from 'better-sqlite3';
import type { RuntimeHost } from '../daemon/runtime-host.ts';
import type { ExecutorName } from './task.ts';

export interface Claimable {
  readonly path: string;
  readonly status: 'pending' | 'in_progress';
  readonly executor: ExecutorName;
}

/**
 * Tasks that may be worked on now, in the order in which they are claimed: work of workflows before what somebody filed by hand, then by priority, age and
 * path. Tasks that somebody began are among them:
 * whose worker is gone shows only in the lease (§7). What waits for a person, for its next try or behind earlier work of an `enqueue` trigger is not.
 */
const findClaimable = (
  db: Database.Database,
  { now, executors, limit }: { readonly now: number; readonly executors: readonly ExecutorName[]; readonly limit: number },
): readonly Claimable[] => {
  const names = executors.map(() => '?').join(', ');
  return db
    .prepare(
      `SELECT path, status, executor FROM work_tasks t WHERE status IN ('pending', 'in_progress') AND executor IN (${names}) AND waits IS NULL
         AND (status = 'in_progress' AND run_path IS NOT NULL OR status = 'pending' AND not_before <= ?)
         AND (queue IS NULL OR status = 'in_progress' OR NOT EXISTS (${earlierWork}))
       ORDER BY workflow_id IS NULL, priority DESC, queued_at, path LIMIT ?`,
    )
    .all(...executors, now, limit) as Claimable[];
};

/** How many are read at once. */
const page = 50;

/**
 * Every task that may be worked on now, each once and in order, read anew as whoever asks goes on: however many others hold, whose claims only the
 * leases tell, what is free is found behind them.
 */
export async function* eachClaimable(host: RuntimeHost, executors: readonly ExecutorName[]): AsyncGenerator<Claimable> {
  const seen = new Set<string>();
  for (;;) {
    const found = await host.projections.read(db => findClaimable(db, { now: host.now(), executors, limit: seen.size + page }));
    const unseen = found.filter(({ path }) => !seen.has(path)).slice(0, page);
    if (unseen.length === 0) return;
    for (const candidate of unseen) {
      seen.add(candidate.path);
      yield candidate;
    }
  }
}

/** Unfinished work of the same trigger that came before: it is worked on first, whatever it waits for. */
const earlierWork = `SELECT 1 FROM work_tasks e WHERE e.workflow_id IS t.workflow_id AND e.trigger_id IS t.trigger_id AND e.path <> t.path
  AND e.status IN ('pending', 'in_progress') AND (e.queued_at, e.path) < (t.queued_at, t.path)`;

/** The path of the earlier work that a task of an `enqueue` trigger waits for; null when it may begin. */
export const earlierWorkOf = (db: Database.Database, path: string): string | null => {
  const row = db
    .prepare(
      `SELECT (${earlierWork.replace('SELECT 1', 'SELECT e.path')} ORDER BY e.queued_at, e.path LIMIT 1) AS earlier FROM work_tasks t WHERE t.path = ? AND t.queue IS NOT NULL`,
    )
    .get(path) as { earlier: string | null } | undefined;
  return row?.earlier ?? null;
};

/** The earliest instant at which a task that rests may be worked on; null when none rests. */
export const nextAttemptAfter = (db: Database.Database, now: number): number | null => {
  const row = db
    .prepare(`SELECT min(not_before) AS at FROM work_tasks WHERE status = 'pending' AND waits IS NULL AND not_before > ?`)
    .get(now) as { at: number | null };
  return row.at;
};
