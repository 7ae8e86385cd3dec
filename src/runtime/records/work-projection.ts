import type Database from 'better-sqlite3';
import { emptyMap, type FrontmatterMap, type Value } from '#document';
import type { DocumentProjection, FileChange } from '#projections';
import { readTask, type Task } from '../work/task.ts';

/**
 * Tasks and runs as they stand, for claiming and for people, and the documents that say what may fire: workflows, triggers, and the assistants' claims
 * of ownership (§11.8: task queues are projections).
 */
export const workProjection = (): DocumentProjection => ({
  id: 'work',
  version: '1',
  feed: 'documents',
  create(db) {
    db.exec(`
      CREATE TABLE work_definitions (path TEXT PRIMARY KEY, hash TEXT NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE work_tasks (path TEXT PRIMARY KEY, hash TEXT NOT NULL, title TEXT, status TEXT NOT NULL, priority REAL NOT NULL,
        workflow_id TEXT, trigger_id TEXT, scheduled_for TEXT, queued_at TEXT, not_before INTEGER NOT NULL, attempts INTEGER NOT NULL, executor TEXT NOT NULL,
        queue TEXT, run_path TEXT, claimed_by TEXT, waits TEXT, blocked TEXT) WITHOUT ROWID;
      CREATE INDEX work_tasks_status ON work_tasks (status, priority DESC, queued_at, path);
      CREATE INDEX work_tasks_trigger ON work_tasks (workflow_id, trigger_id, status);
      CREATE INDEX work_tasks_queue ON work_tasks (queue, status, queued_at, path);
      CREATE TABLE work_runs (path TEXT PRIMARY KEY, hash TEXT NOT NULL, run_id TEXT, workflow_id TEXT, task_path TEXT, title TEXT, status TEXT,
        started_at TEXT, ended_at TEXT, step_count INTEGER, claimed_by TEXT) WITHOUT ROWID;
      CREATE INDEX work_runs_task ON work_runs (task_path, status);
      CREATE INDEX work_runs_started ON work_runs (started_at DESC, path);
      CREATE TABLE work_state (one INTEGER PRIMARY KEY CHECK (one = 1), build TEXT NOT NULL, definitions INTEGER NOT NULL);
      INSERT INTO work_state VALUES (1, lower(hex(randomblob(8))), 0);`);
  },
  drop(db) {
    for (const table of ['work_definitions', 'work_tasks', 'work_runs', 'work_state']) db.exec(`DROP TABLE IF EXISTS ${table}`);
  },
  apply(db, changes) {
    for (const change of changes) applyChange(db, change);
  },
  *holdings(db) {
    for (const table of ['work_definitions', 'work_tasks', 'work_runs'])
      yield* db.prepare(`SELECT path, hash FROM ${table}`).iterate() as IterableIterator<{ path: string; hash: string }>;
  },
});

const definitionTypes: ReadonlySet<string> = new Set(['workflow', 'trigger', 'assistant']);

const applyChange = (db: Database.Database, { path, file }: FileChange): void => {
  const gone = ['work_definitions', 'work_tasks', 'work_runs'].map(
    table => db.prepare(`DELETE FROM ${table} WHERE path = ?`).run(path).changes,
  );
  const document = file?.parsed.kind === 'document' ? file.parsed.document : null;
  const type = document === null ? null : bareType(document.data['type']);
  const defines = type !== null && definitionTypes.has(type);
  if (gone[0] !== 0 || defines) db.prepare('UPDATE work_state SET definitions = definitions + 1').run();
  if (file === null || document === null || type === null) return;
  const { hash } = file;
  if (defines) {
    db.prepare('INSERT INTO work_definitions (path, hash, type, data) VALUES (?, ?, ?, ?)').run(
      path,
      hash,
      type,
      JSON.stringify(document.data),
    );
  } else if (type === 'task') putTask(db, path, hash, document.data);
  else if (type === 'run') putRun(db, path, hash, document.data);
};

/** Core types may be written bare or qualified (readings: types and names). */
const bareType = (type: Value | undefined): string | null => (typeof type === 'string' ? type.replace(/^ssss:/, '') : null);

const putTask = (db: Database.Database, path: string, hash: string, data: FrontmatterMap): void => {
  const task = readTask({ path, hash, data });
  db.prepare(
    `INSERT INTO work_tasks (path, hash, title, status, priority, workflow_id, trigger_id, scheduled_for, queued_at, not_before, attempts, executor,
       queue, run_path, claimed_by, waits, blocked)
     VALUES (@path, @hash, @title, @status, @priority, @workflowId, @triggerId, @scheduledFor, @queuedAt, @notBefore, @attempts, @executor,
       @queue, @runPath, @claimedBy, @waits, @blocked)`,
  ).run(columnsOf(task));
};

const columnsOf = ({ decision: _decision, ...task }: Task) => task;

const putRun = (db: Database.Database, path: string, hash: string, data: FrontmatterMap): void => {
  const text = (name: string): string | null => {
    const value = data[name];
    return typeof value === 'string' ? value : null;
  };
  const steps = data['step_count'];
  db.prepare(
    `INSERT INTO work_runs (path, hash, run_id, workflow_id, task_path, title, status, started_at, ended_at, step_count, claimed_by)
     VALUES (@path, @hash, @run_id, @workflow_id, @task_path, @title, @status, @started_at, @ended_at, @step_count, @claimed_by)`,
  ).run({
    path,
    hash,
    run_id: text('run_id'),
    workflow_id: text('workflow_id'),
    task_path: text('task_path'),
    title: text('title'),
    status: text('status'),
    started_at: text('started_at'),
    ended_at: text('ended_at'),
    step_count: typeof steps === 'number' && Number.isInteger(steps) ? steps : null,
    claimed_by: text('claimed_by'),
  });
};

/** Frontmatter as it was stored, on maps without prototypes again. */
export const readData = (json: string): FrontmatterMap => withoutPrototypes(JSON.parse(json)) as FrontmatterMap;

const withoutPrototypes = (value: unknown): Value => {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (typeof value !== 'object' || value === null) return value as Value;
  const map = emptyMap();
  for (const [key, member] of Object.entries(value)) map[key] = withoutPrototypes(member);
  return map;
};
