import { parseDocument } from '#document';
import { reasonOf, VaultError } from '#errors';
import type { Secrets, StateFile } from '#identity';
import { type Registry, readJson } from '#registry';
import {
  checkExecutorSettings,
  createExecutors,
  type ExecutorSettings,
  ExecutorSettingsError,
  noExecutorSettings,
  printExecutorSettings,
} from '#runtime';
import type { ModelSettingsPart, ResolvedModel, VaultExecutors, VaultMachine } from './vault-machine.ts';

/** What the composition root brings. */
export interface MachineParts {
  readonly models: ModelSettingsPart;
  /** `executors.json`. */
  readonly executorFile: StateFile;
  readonly secrets: Secrets;
}

interface MachineOptions extends MachineParts {
  readonly registry: Registry;
  /** Why nothing may act by itself in this vault; null when it may. */
  mayNotAct(): string | null;
  readonly read: (path: string) => Promise<{ readonly text: string; readonly type: string | null } | null>;
}

export const createVaultMachine = (options: MachineOptions): VaultMachine => {
  const { models, executorFile, secrets, registry } = options;
  const resolve = (name: string | null) => resolveModel(options, name);
  const parse = (text: string | null): ExecutorSettings => (text === null ? noExecutorSettings : parseSettings(text, executorFile.path));
  const settings = () => parse(executorFile.read());
  const change = (edit: (settings: ExecutorSettings) => unknown): Promise<void> =>
    executorFile.change(text => printExecutorSettings(checked(edit(parse(text)), executorFile.path)));
  const executors: VaultExecutors = {
    settings,
    async allow(kind, name, setting) {
      let known = false;
      await change(({ commands, services, assistant }) => {
        known = Object.hasOwn(kind === 'command' ? commands : services, name);
        return kind === 'command'
          ? { assistant, services, commands: { ...commands, [name]: setting } }
          : { assistant, commands, services: { ...services, [name]: setting } };
      });
      return known;
    },
    async forbid(kind, name) {
      const known = Object.hasOwn(kind === 'command' ? settings().commands : settings().services, name);
      if (known) {
        await change(({ commands, services, assistant }) => ({
          assistant,
          commands: kind === 'command' ? without(commands, name) : commands,
          services: kind === 'service' ? without(services, name) : services,
        }));
      }
      return known;
    },
    limit: budget => change(({ commands, services }) => ({ commands, services, assistant: budget })),
    all: createExecutors({
      registry,
      resolveModel: resolve,
      settings,
      trusted: () => options.mayNotAct() === null,
      readSecret: (name, origin) => secrets.read(name, origin),
    }),
  };
  return { models: { ...models, resolve }, executors, secrets };
};

/** A name that is the path of a `model` document stands for the `model_id` there, and for nothing else that the document says. */
const resolveModel = async ({ models, read }: MachineOptions, name: string | null): Promise<ResolvedModel> => {
  if (name === null || !name.endsWith('.md')) return models.resolve(name);
  const path = name.replace(/^\//, '');
  const stored = await read(path).catch(() => null);
  const parsed = stored?.type === 'ssss:model' ? parseDocument(stored.text) : null;
  const id = parsed?.kind === 'document' ? parsed.document.data.model_id : null;
  return typeof id === 'string' && id !== ''
    ? models.resolve(id)
    : { model: null, problem: `there is no model document '${path}' with a model_id` };
};

const parseSettings = (text: string, path: string): ExecutorSettings => {
  let value: unknown;
  try {
    value = readJson(text).value;
  } catch (error) {
    throw new ExecutorSettingsError(`${path} is not JSON: ${reasonOf(error)}`, { cause: error });
  }
  return checkExecutorSettings(value, path);
};

/** What somebody wants to set is their input, whichever file it was to go to. */
const checked = (settings: unknown, path: string): ExecutorSettings => {
  try {
    return checkExecutorSettings({ version: 1, ...(settings as object) }, 'executors.json');
  } catch (error) {
    if (!(error instanceof ExecutorSettingsError)) throw error;
    const issue = reasonOf(error).replace(/^executors\.json: /, '');
    throw new VaultError('invalid_request', { issues: [{ field: issue.split(':', 1)[0] ?? path, issue }] }, issue);
  }
};

const without = <T>(all: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).filter(([other]) => other !== name));
