import type Database from 'better-sqlite3';
import { emptyMap, type FrontmatterMap, type Value } from '#document';
import type { DocumentProjection, FileChange } from '#projections';
import type { Registry } from '#registry';
import { readTask } from '../work/task.ts';

/**
 * Tasks and runs as they stand, for claiming and for people, and the documents that say what may fire: workflows, triggers, and the assistants' claims
 * of ownership (§11.8: task queues are projections). Besides, how many documents of each type and status there are, which conditions may ask.
 */
export const workProjection = (registry: Registry): DocumentProjection => ({
  id: 'work',
  version: '2',
  feed: 'documents',
  create(db) {
    db.exec(`
      CREATE TABLE work_documents (path TEXT PRIMARY KEY, hash TEXT NOT NULL, type TEXT, status TEXT) WITHOUT ROWID;
      CREATE INDEX work_documents_type ON work_documents (type, status);
      CREATE TABLE work_definitions (path TEXT PRIMARY KEY, hash TEXT NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE work_tasks (path TEXT PRIMARY KEY, hash TEXT NOT NULL, title TEXT, status TEXT NOT NULL, priority REAL NOT NULL,
        workflow_id TEXT, trigger_id TEXT, scheduled_for TEXT, queued_at TEXT, not_before INTEGER NOT NULL, attempts INTEGER NOT NULL, executor TEXT NOT NULL,
        queue TEXT, run_path TEXT, claimed_by TEXT, waits TEXT, blocked TEXT) WITHOUT ROWID;
      CREATE INDEX work_tasks_status ON work_tasks (status, priority DESC, queued_at, path);
      CREATE INDEX work_tasks_trigger ON work_tasks (workflow_id, trigger_id, status, queued_at, path);
      CREATE INDEX work_tasks_queue ON work_tasks (queue, status, queued_at, path);
      CREATE TABLE work_runs (path TEXT PRIMARY KEY, hash TEXT NOT NULL, run_id TEXT, workflow_id TEXT, task_path TEXT, title TEXT, status TEXT,
        started_at TEXT, ended_at TEXT, step_count INTEGER, claimed_by TEXT) WITHOUT ROWID;
      CREATE INDEX work_runs_task ON work_runs (task_path, status);
      CREATE INDEX work_runs_started ON work_runs (started_at DESC, path);
      CREATE TABLE work_state (one INTEGER PRIMARY KEY CHECK (one = 1), build TEXT NOT NULL, definitions INTEGER NOT NULL);
      INSERT INTO work_state VALUES (1, lower(hex(randomblob(8))), 0);`);
  },
  drop(db) {
    for (const table of [...tables, 'work_state']) db.exec(`DROP TABLE IF EXISTS ${table}`);
  },
  apply(db, changes) {
    for (const change of changes) applyChange(db, registry, change);
  },
  holdings: db => db.prepare<[], { path: string; hash: string }>('SELECT path, hash FROM work_documents').iterate(),
});

const tables = ['work_documents', 'work_definitions', 'work_tasks', 'work_runs'] as const;

const definitionTypes: ReadonlySet<string> = new Set(['ssss:workflow', 'ssss:trigger', 'ssss:assistant']);

const applyChange = (db: Database.Database, registry: Registry, { path, file }: FileChange): void => {
  const gone = tables.map(table => db.prepare(`DELETE FROM ${table} WHERE path = ?`).run(path).changes);
  const document = file?.parsed.kind === 'document' ? file.parsed.document : null;
  const named = document?.data['type'];
  const type = typeof named === 'string' ? (registry.resolve(named)?.qualified ?? null) : null;
  const defines = type !== null && definitionTypes.has(type);
  if (gone[1] !== 0 || defines) db.prepare('UPDATE work_state SET definitions = definitions + 1').run();
  if (file === null) return;
  const { hash } = file;
  const status = document?.data['status'];
  db.prepare('INSERT INTO work_documents (path, hash, type, status) VALUES (?, ?, ?, ?)').run(
    path,
    hash,
    type,
    typeof status === 'string' ? status : null,
  );
  if (document === null) return;
  if (defines) {
    const bare = type.slice('ssss:'.length);
    const data = JSON.stringify(document.data);
    db.prepare('INSERT INTO work_definitions (path, hash, type, data) VALUES (?, ?, ?, ?)').run(path, hash, bare, data);
  } else if (type === 'ssss:task') putTask(db, path, hash, document.data);
  else if (type === 'ssss:run') putRun(db, path, hash, document.data);
};

const putTask = (db: Database.Database, path: string, hash: string, data: FrontmatterMap): void => {
  const task = readTask({ path, hash, data });
  db.prepare(
    `INSERT INTO work_tasks (path, hash, title, status, priority, workflow_id, trigger_id, scheduled_for, queued_at, not_before, attempts, executor,
       queue, run_path, claimed_by, waits, blocked)
     VALUES (@path, @hash, @title, @status, @priority, @workflowId, @triggerId, @scheduledFor, @queuedAt, @notBefore, @attempts, @executor,
       @queue, @runPath, @claimedBy, @waits, @blocked)`,
  ).run(task);
};

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
