import type { CanonicalEvent, Principal } from '#adapter-contracts';
import type { RuntimeHost } from '../daemon/runtime-host.ts';
import type { ExecutorDocument } from '../executors/executor.ts';
import { type FiringRecord, readFiring } from '../records/firing-record.ts';
import { assistantPath, skillPaths } from '../rights/named-documents.ts';
import { outsideReason, taskOutside } from '../rights/outside-reason.ts';
import { isRuntimes } from '../runtime-principal.ts';
import { type TriggerType, triggerTypes } from '../triggers/trigger.ts';
import { readWork } from './held-task.ts';

/** Who is behind a task: what its run may do is cut by each of them (readings: rights of a run). */
interface TaskOrigin {
  /** The firing that made it; null for a task that no trigger made. */
  readonly firing: FiringRecord | null;
  /** The event that caused the firing; null for schedules and requests. */
  readonly cause: CanonicalEvent | null;
  /** Everybody besides the runtime who ever wrote the task. */
  readonly writers: readonly Principal[];
}

/** The documents that say what a run does, read once, so that what gives rights and what is obeyed are the same bytes. */
export interface WorkDocuments {
  readonly task: ExecutorDocument;
  readonly workflow: ExecutorDocument | null;
  readonly assistant: ExecutorDocument | null;
  readonly skills: readonly ExecutorDocument[];
  readonly origin: TaskOrigin;
}

/** Reads what a task names. Null when the task is gone. */
export const readWorkDocuments = async (host: RuntimeHost, taskPath: string): Promise<WorkDocuments | null> => {
  const stored = await readWork(host, taskPath);
  if (stored === null) return null;
  const origin = await originOf(host, taskPath);
  const task: ExecutorDocument = { ...stored, outside: outsideOfTask(origin) };
  const workflowPath = stored.data['workflow_path'];
  const workflow = typeof workflowPath === 'string' ? await readDocument(host, workflowPath.replace(/^\//, '')) : null;
  const named = assistantPath(task, workflow);
  const assistant = named === null ? null : await readDocument(host, named);
  const skills = assistant === null ? [] : await Promise.all(skillPaths(assistant).map(path => readDocument(host, path)));
  return { task, workflow, assistant, skills: skills.filter(skill => skill !== null), origin };
};

/** A document with the reason, if there is one, why its text counts as from outside; null when there is none to read. */
const readDocument = async (host: RuntimeHost, path: string): Promise<ExecutorDocument | null> => {
  const stored = await readWork(host, path).catch(() => null);
  return stored === null ? null : { ...stored, outside: outsideReason({ last: await lastEvent(host, path), hash: stored.hash }) };
};

/** The event that last recorded a path; null when the log holds none. */
export const lastEvent = async (host: RuntimeHost, path: string): Promise<CanonicalEvent | null> => {
  const last = await host.events.lastRecorded(host.workspaceId, path);
  return last === null ? null : host.events.findById(last.event_id);
};

const originOf = async (host: RuntimeHost, path: string): Promise<TaskOrigin> => {
  const { fired, writers } = await host.projections.read(db => ({
    fired: db.prepare('SELECT event_id FROM runtime_firings WHERE task_path = ? AND task_event_id IS NOT NULL').get(path) as
      | { event_id: string }
      | undefined,
    writers: db.prepare('SELECT principal FROM runtime_writers WHERE path = ?').all(path) as { principal: string }[],
  }));
  const event = fired === undefined ? null : await host.events.findById(fired.event_id);
  const firing = event === null ? null : readFiring(event);
  const cause = firing === null || firing.triggerEventId === null ? null : await host.events.findById(firing.triggerEventId);
  return { firing, cause, writers: writers.map(({ principal }) => JSON.parse(principal) as Principal) };
};

/** Its text follows from the workflow, unless somebody else wrote to it; so it is asked who caused it. */
const outsideOfTask = ({ firing, cause, writers }: TaskOrigin): string | null => {
  const foreign = writers.find(({ kind }) => kind !== 'human');
  if (foreign !== undefined) return taskOutside({ trigger: null, cause: foreign });
  if (firing === null) return taskOutside({ trigger: null, cause: writers[0] ?? null });
  const trigger = triggerTypes.find(type => type === firing.triggerType) ?? null;
  if (firing.requester !== null) return taskOutside({ trigger: 'manual', cause: firing.requester });
  // A change of a condition is the host's own observation.
  if (cause !== null && isRuntimes(cause) && trigger === 'condition') return null;
  return taskOutside({ trigger: trigger satisfies TriggerType | null, cause: cause?.principal ?? null });
};
