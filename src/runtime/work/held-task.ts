import { v4 } from 'uuid';
import type { LeaseHolder } from '#adapter-contracts';
import { type FrontmatterMap, hashContent, parseDocument } from '#document';
import { isVaultError, VaultError } from '#errors';
import type { KernelResponse } from '#kernel';
import type { RuntimeHost } from '../daemon/runtime-host.ts';
import { runtimePrincipal } from '../runtime-principal.ts';
import { readTask, type Task } from './task.ts';

/** A claim on one task: the lease and the unit of work that every write of its run stands under. */
export interface Held {
  readonly taskPath: string;
  readonly lease_id: string;
  readonly operation_id: string;
  readonly principal_id: string;
  /** The event that made the task: what the work writes was caused by it. */
  readonly cause: { readonly correlationId: string; readonly causationId: string } | null;
}

const defaultTtlSeconds = 60;

/** Takes the lease on a task. Throws `lease_conflict`. */
export const hold = async (
  host: RuntimeHost,
  path: string,
  { principalId, ttlSeconds = defaultTtlSeconds }: { readonly principalId: string; readonly ttlSeconds?: number | undefined },
): Promise<Held> => {
  const lease = await host.leases.acquire({
    workspace_id: host.workspaceId,
    target: path,
    principal_id: principalId,
    operation_id: `work-${v4()}`,
    ttlSeconds,
  });
  const { lease_id, operation_id, principal_id } = lease;
  return { taskPath: path, lease_id, operation_id, principal_id, cause: await causeOf(host, path) };
};

/** The holder of a claim as the lease store asks for it. */
export const holderOf = ({ lease_id, operation_id, principal_id }: Held): LeaseHolder => ({ lease_id, operation_id, principal_id });

/** Gives the lease back; one that is gone is given back already. */
export const letGo = async (host: RuntimeHost, held: Held): Promise<void> => {
  try {
    await host.leases.release(host.workspaceId, held.taskPath, holderOf(held));
  } catch (error) {
    if (!isVaultError(error) || error.code !== 'lease_conflict') throw error;
  }
};

/** The event that made the task; for one that no trigger made, what the log last says of it. */
const causeOf = async (host: RuntimeHost, path: string): Promise<Held['cause']> => {
  const made = await host.projections.read(
    db =>
      db.prepare('SELECT task_event_id AS id FROM runtime_firings WHERE task_path = ? AND task_event_id IS NOT NULL').get(path) as
        | { id: string }
        | undefined,
  );
  const id = made?.id ?? (await host.events.lastRecorded(host.workspaceId, path))?.event_id;
  const event = id === undefined ? null : await host.events.findById(id);
  return event === null ? null : { correlationId: event.correlation_id, causationId: event.event_id };
};

/** A document of the vault, read for its frontmatter. */
export interface StoredWork {
  readonly path: string;
  readonly hash: string;
  readonly data: FrontmatterMap;
  readonly body: string;
}

/** The document, or null when there is none at the path. */
export const readWork = async (host: RuntimeHost, path: string): Promise<StoredWork | null> => {
  const stored = await host.read(path);
  if (stored === null) return null;
  const file = parseDocument(stored.text);
  return file.kind === 'document' ? { path, hash: stored.hash, data: file.document.data, body: file.document.body } : null;
};

/** The task at a path. Throws `not_found` where there is none. */
export const readTaskAt = async (host: RuntimeHost, path: string): Promise<Task> => {
  const stored = await readWork(host, path);
  const type = stored?.data['type'];
  if (stored !== null && (type === 'task' || type === 'ssss:task')) return readTask(stored);
  throw new VaultError('not_found', { path }, `There is no task at '${path}'.`);
};

/**
 * The record of a task's last try; null when there is none. Whoever may patch a task can name any path in it: what stands there counts only where it is
 * the record of a run that names this task, so that nobody reports on, ends or takes over the work of another by it.
 */
export const readRunOf = async (host: RuntimeHost, task: Task): Promise<StoredWork | null> => {
  const run = task.runPath === null ? null : await readWork(host, task.runPath);
  const type = run?.data['type'];
  if (run === null || (type !== 'run' && type !== 'ssss:run')) return null;
  const named = run.data['task_path'];
  // A task that was moved is still the one that its record means.
  const isOwn = named === task.path || (typeof named === 'string' && (await host.read(named).catch(() => null)) === null);
  return isOwn ? run : null;
};

/** What the record of a run says of itself; '' where it says nothing. */
export const statusOf = (run: StoredWork | null): string => {
  const status = run?.data['status'];
  return typeof status === 'string' ? status : '';
};

/** A key that nothing but this change has. */
export const workKey = (kind: string, ...basis: readonly unknown[]): string =>
  `runtime-${kind}-${hashContent(JSON.stringify(basis)).slice('sha256:'.length)}`;

interface Change {
  readonly type: 'operation' | 'patch' | 'event';
  readonly path: string;
  readonly key: string;
  readonly content?: string;
  readonly patches?: Readonly<Record<string, unknown>>;
  readonly ifMatch?: string | null;
}

/** One envelope of the runtime under a claim: refused once the claim is gone, on whatever path (§7). */
export const writeHeld = (host: RuntimeHost, held: Held, change: Change): Promise<KernelResponse> => {
  const { type, path, key, content, patches, ifMatch } = change;
  return host.execute(
    {
      type,
      workspace_id: host.workspaceId,
      idempotency_key: key,
      path,
      operation_id: held.operation_id,
      ...(content === undefined ? {} : { content }),
      ...(patches === undefined ? {} : { patches }),
    },
    {
      principal: runtimePrincipal(host.workspaceId),
      fence: { ...holderOf(held), target: held.taskPath },
      ...held.cause,
      ...(ifMatch === undefined ? {} : { ifMatch }),
    },
  );
};

/** The refusal of a response as an error; gives the response of a success. */
export const accepted = (response: KernelResponse): Extract<KernelResponse, { success: true }> => {
  if (response.success) return response;
  const { code, message } = response.error;
  const path = response.path ?? '';
  const details = code === 'validation_failed' ? { issues: response.repair.field_errors } : { path, issues: response.repair.field_errors };
  throw new VaultError(code, details as never, message);
};
