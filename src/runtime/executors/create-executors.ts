import { reasonOf } from '#errors';
import type { Registry } from '#registry';
import { createAssistantExecutor, type ResolveModel } from './assistant/assistant-executor.ts';
import { createCommandExecutor } from './command/command-executor.ts';
import type { Executor } from './executor.ts';
import type { ExecutorSettings } from './executor-settings.ts';
import { createHttpExecutor } from './http/http-executor.ts';

export interface ExecutorOptions {
  readonly registry: Registry;
  /** What an assistant's `model` stands for on this machine (readings: models). */
  readonly resolveModel: ResolveModel;
  /** What this machine allows now; asked for each task, so that a change counts at once. Throws an Error that names what is wrong with it. */
  readonly settings: () => ExecutorSettings;
  /** Whether the person at this machine has accepted the vault. */
  readonly trusted: () => boolean;
  /** The secret of that name for that origin. Throws an Error that names what is missing. */
  readonly readSecret: (name: string, origin: string) => string;
  readonly now?: () => number;
  /** Finds the addresses of a service's name; the system's own unless given. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

/**
 * The ways in which a worker of this machine can do a task: `assistant`, `command` and `http`. None of them rejects: what a task, a model, a program or a
 * service does is an outcome.
 */
export const createExecutors = (options: ExecutorOptions): readonly Executor[] => {
  const { registry, resolveModel, settings, trusted, readSecret, now = Date.now, resolve } = options;
  return [
    createAssistantExecutor({ registry, resolveModel, ceilings: () => settings().assistant, now }),
    createCommandExecutor({ settings, trusted }),
    createHttpExecutor({ settings, trusted, readSecret, resolve }),
  ].map(telling);
};

/** A setting that cannot be read keeps the task waiting; whatever else goes wrong fails the attempt. */
const telling = (executor: Executor): Executor => ({
  kind: executor.kind,
  async unready(work) {
    try {
      return await executor.unready(work);
    } catch (error) {
      return reasonOf(error);
    }
  },
  async run(execution) {
    try {
      return await executor.run(execution);
    } catch (error) {
      const reason = execution.signal.aborted ? 'the run was stopped' : `the executor failed: ${reasonOf(error)}`;
      return { kind: 'failed', reason, retry: true };
    }
  },
});
