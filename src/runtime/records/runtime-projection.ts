import type Database from 'better-sqlite3';
import type { CanonicalEvent } from '#adapter-contracts';
import { isIndexPath } from '#document';
import { documentVersion, type EventProjection } from '#projections';
import { readConditionChange } from '../conditions/condition-change.ts';
import { isRuntimes } from '../runtime-principal.ts';
import { firingDigest, readFiring } from './firing-record.ts';

const definitionTypes: ReadonlySet<string | null> = new Set(['ssss:workflow', 'ssss:trigger']);

/**
 * What the log says about work on time: every change of a `workflow` or `trigger` document, every firing with the event that made its task, who besides the
 * runtime ever wrote a task, the last value of each condition, and how far
 * the daemons of this machine have looked for events that fire something. All of it follows from the log; without it a daemon begins at the events
 * that enabled its triggers, and finds its own earlier firings under their keys (§11.8, §10).
 */
export const runtimeProjection = (): EventProjection => ({
  id: 'runtime',
  version: '2',
  feed: 'events',
  create(db) {
    db.exec(`
      CREATE TABLE runtime_changes (place INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, path TEXT NOT NULL, action TEXT NOT NULL,
        timestamp TEXT NOT NULL, before_hash TEXT, after_hash TEXT, fields TEXT);
      CREATE INDEX runtime_changes_path ON runtime_changes (path, place);
      CREATE TABLE runtime_firings (digest TEXT PRIMARY KEY, event_id TEXT NOT NULL, workflow_id TEXT NOT NULL, workflow_path TEXT NOT NULL, trigger_id TEXT NOT NULL,
        scheduled INTEGER NOT NULL, scheduled_for TEXT NOT NULL, at TEXT NOT NULL, reason TEXT, task_path TEXT, task_event_id TEXT) WITHOUT ROWID;
      CREATE INDEX runtime_firings_trigger ON runtime_firings (workflow_id, trigger_id, scheduled, scheduled_for);
      CREATE INDEX runtime_firings_task ON runtime_firings (task_path) WHERE task_path IS NOT NULL;
      CREATE INDEX runtime_firings_open ON runtime_firings (task_path) WHERE task_path IS NOT NULL AND task_event_id IS NULL;
      CREATE TABLE runtime_conditions (workflow_id TEXT NOT NULL, trigger_id TEXT NOT NULL, value INTEGER NOT NULL, event_id TEXT NOT NULL,
        PRIMARY KEY (workflow_id, trigger_id)) WITHOUT ROWID;
      CREATE TABLE runtime_writers (path TEXT NOT NULL, principal TEXT NOT NULL, PRIMARY KEY (path, principal)) WITHOUT ROWID;
      CREATE TABLE runtime_defining (one INTEGER PRIMARY KEY CHECK (one = 1));
      CREATE TABLE runtime_position (one INTEGER PRIMARY KEY CHECK (one = 1), cursor TEXT NOT NULL, place INTEGER NOT NULL);`);
  },
  drop(db) {
    for (const table of [
      'runtime_changes',
      'runtime_firings',
      'runtime_conditions',
      'runtime_writers',
      'runtime_defining',
      'runtime_position',
    ])
      db.exec(`DROP TABLE IF EXISTS ${table}`);
  },
  apply(db, events) {
    const writer = tableWriter(db);
    for (const { event } of events) {
      writer.change(event);
      writer.firing(event);
      writer.task(event);
      writer.condition(event);
      writer.writer(event);
      writer.defining(event);
    }
  },
});

/** Whether the log ever held a workflow, a trigger or an assistant: without, and with every document as the log has it, nothing can fire. */
export const hasDefinitions = (db: Database.Database): boolean => db.prepare('SELECT 1 FROM runtime_defining').get() !== undefined;

const tableWriter = (db: Database.Database) => {
  const change = db.prepare(
    `INSERT OR IGNORE INTO runtime_changes (event_id, path, action, timestamp, before_hash, after_hash, fields)
     VALUES (@event_id, @path, @action, @timestamp, @before_hash, @after_hash, @fields)`,
  );
  const firing = db.prepare(
    `INSERT OR IGNORE INTO runtime_firings (digest, event_id, workflow_id, workflow_path, trigger_id, scheduled, scheduled_for, at, reason, task_path, task_event_id)
     VALUES (@digest, @event_id, @workflow_id, @workflow_path, @trigger_id, @scheduled, @scheduled_for, @at, @reason, @task_path, NULL)`,
  );
  const task = db.prepare('UPDATE runtime_firings SET task_event_id = ?, task_path = ? WHERE digest = ? AND task_event_id IS NULL');
  const condition = db.prepare('INSERT OR REPLACE INTO runtime_conditions (workflow_id, trigger_id, value, event_id) VALUES (?, ?, ?, ?)');
  const taskWriter = db.prepare('INSERT OR IGNORE INTO runtime_writers (path, principal) VALUES (?, ?)');
  const defining = db.prepare('INSERT OR IGNORE INTO runtime_defining (one) VALUES (1)');
  return {
    /** A document whose type the log does not say may be anything; a page of links defines nothing. */
    defining(event: CanonicalEvent): void {
      const version = documentVersion(event);
      if (version === null || (version.primitiveId === null && isIndexPath(version.path))) return;
      if (version.primitiveId === null || version.primitiveId === 'ssss:assistant' || definitionTypes.has(version.primitiveId))
        defining.run();
    },
    writer(event: CanonicalEvent): void {
      const version = documentVersion(event);
      if (version?.primitiveId === 'ssss:task' && !isRuntimes(event)) taskWriter.run(version.path, JSON.stringify(event.principal));
    },
    condition(event: CanonicalEvent): void {
      const change = readConditionChange(event);
      if (change !== null) condition.run(change.workflowId, change.triggerId, change.value ? 1 : 0, event.event_id);
    },
    change(event: CanonicalEvent): void {
      const version = documentVersion(event);
      if (version === null || !definitionTypes.has(version.primitiveId)) return;
      change.run({
        event_id: event.event_id,
        path: version.path,
        action: version.action,
        timestamp: event.timestamp,
        before_hash: version.before,
        after_hash: version.after,
        fields: version.action === 'patch' ? JSON.stringify(event.changed_fields) : null,
      });
    },
    firing(event: CanonicalEvent): void {
      const record = readFiring(event);
      const digest = firingDigest(event.idempotency_key);
      if (record === null || digest === null) return;
      const isScheduled = record.triggerEventId === null && record.requestKey === null;
      firing.run({
        digest,
        event_id: event.event_id,
        workflow_id: record.workflowId,
        workflow_path: record.workflowPath,
        trigger_id: record.triggerId,
        scheduled: isScheduled ? 1 : 0,
        scheduled_for: record.scheduledFor,
        at: event.timestamp,
        reason: record.reason,
        task_path: record.taskPath,
      });
    },
    task(event: CanonicalEvent): void {
      if (event.action !== 'create' || event.primitive_id !== 'ssss:task' || !isRuntimes(event)) return;
      const digest = firingDigest(event.idempotency_key);
      if (digest !== null) task.run(event.event_id, event.subject, digest);
    },
  };
};
