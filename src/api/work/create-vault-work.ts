import type { Clock, EventStore, LeaseStore } from '#adapter-contracts';
import type { PrincipalRegistry } from '#identity';
import type { Kernel } from '#kernel';
import type { ContentStore, ProjectionView } from '#projections';
import type { Registry } from '#registry';
import {
  cancelTask,
  claimTask,
  createDaemonRounds,
  createTaskWorker,
  decideTask,
  type Executor,
  finishExternally,
  fireOnRequest,
  lastEvent,
  listRuns,
  listTasks,
  loadDefinitions,
  nextAttemptAfter,
  type RuntimeHost,
  reportExternalStep,
  runtimeStatus,
  type TaskWorker,
} from '#runtime';
import type { Vault } from '../vault.ts';
import { runPrincipal } from './run-rights-sources.ts';
import { createRunVault } from './run-vault.ts';
import { createVaultDaemon } from './vault-daemon.ts';
import type { VaultWork } from './vault-work.ts';

export interface WorkParts {
  readonly workspaceId: string;
  readonly kernel: Kernel;
  readonly events: EventStore;
  readonly leases: LeaseStore;
  readonly projections: ProjectionView;
  readonly contents: ContentStore;
  readonly clock: Clock;
  read(path: string): Promise<{ readonly hash: string; readonly text: string } | null>;
  /** Why nothing may act by itself in this vault; null when it may. */
  mayNotAct(): string | null;
  /** How this machine can do tasks. */
  readonly executors: readonly Executor[];
  readonly registry: Registry;
  readonly principals: PrincipalRegistry;
  vault(): Vault;
}

/** Kinds of work that somebody outside may claim without naming it; programs and services are run by the host alone. */
const claimableOutside = ['external', 'assistant'] as const;

export const createVaultWork = (parts: WorkParts): VaultWork => {
  const { kernel, clock, ...rest } = parts;
  const host: RuntimeHost = {
    ...rest,
    execute: (envelope, context) => kernel.execute(envelope, context),
    now: () => clock.now().getTime(),
  };
  const lastEventOf = (path: string) => lastEvent(host, path);
  const worker: VaultWork['worker'] = (name, { ttlSeconds } = {}): TaskWorker =>
    createTaskWorker({
      host,
      executors: parts.executors,
      worker: name,
      ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
      async runVault({ held, runPath, documents }) {
        const principal = await runPrincipal({ ...parts, lastEvent: lastEventOf }, documents);
        return createRunVault(parts.vault(), { principal, held, runPath, lastEvent: lastEventOf });
      },
    });
  const daemon = createVaultDaemon({
    rounds: () => createDaemonRounds(host),
    worker,
    now: host.now,
    nextAttempt: () => host.projections.read(db => nextAttemptAfter(db, host.now())),
    vault: () => parts.vault(),
  });
  return {
    ...daemon,
    worker,
    status: () => runtimeStatus(host),
    async tasks(filter) {
      await host.projections.level();
      return host.projections.read(db => listTasks(db, filter));
    },
    async runs(filter) {
      await host.projections.level();
      return host.projections.read(db => listRuns(db, filter));
    },
    async findTrigger(workflowId, triggerId) {
      await host.projections.level();
      const { triggers } = await loadDefinitions(host);
      return triggers.find(({ id, workflow }) => id === triggerId && workflow.id === workflowId) ?? null;
    },
    fire: (request, { id, kind, capabilities }) => fireOnRequest(host, { ...request, by: { id, kind, capabilities } }),
    async claim({ executors = claimableOutside, ...request }, by) {
      const claimed = await claimTask(host, { ...request, executors, principalId: by.id });
      if (claimed === null) return null;
      const { held, task, runPath } = claimed;
      return { task_path: task.path, run_path: runPath, lease_id: held.lease_id, operation_id: held.operation_id };
    },
    step: (ticket, step, options) => reportExternalStep(host, ticket, step, options),
    finish: (ticket, ending) => finishExternally(host, ticket, ending),
    cancel: (path, reason) => cancelTask(host, path, reason),
    decide: (path, decision) => decideTask(host, path, decision),
    rounds: () => createDaemonRounds(host),
  };
};
