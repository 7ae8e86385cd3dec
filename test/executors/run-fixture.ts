import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CanonicalEvent, type LanguageModel, type Principal, recordedState } from '#adapter-contracts';
import type { Vault } from '#api';
import { parseDocument } from '#document';
import { openLanguageModels } from '#models';
import { openMemoryVault } from '#open-vault';
import { capabilityCovers } from '#policy';
import {
  checkExecutorSettings,
  createExecutors,
  type Execution,
  type Executor,
  type ExecutorDocument,
  type ExecutorOptions,
  outsideReason,
  type RunStep,
  type RunVault,
} from '#runtime';

/** A vault in memory in which runs are made, and what they left. */
export interface RunBench {
  readonly vault: Vault;
  /** Writes a document as the person at this machine, or as somebody else. */
  write(path: string, text: string, principal?: Principal): Promise<void>;
  text(path: string): Promise<string | null>;
  execution(options: ExecutionOptions): Promise<Execution>;
  readonly steps: RunStep[];
  readonly taints: string[];
}

interface ExecutionOptions {
  readonly capabilities?: readonly string[];
  readonly task?: string;
  readonly workflow?: string | null;
  readonly assistant?: string | null;
  readonly skills?: readonly string[];
  readonly decision?: Execution['decision'];
  readonly signal?: AbortSignal;
  readonly outsideTask?: string;
}

export const openBench = async (): Promise<RunBench> => {
  const vault = await openMemoryVault();
  onTestFinished(() => vault.close());
  const steps: RunStep[] = [];
  const taints: string[] = [];
  let count = 0;
  const submit = (envelope: object, principal: Principal, ifMatch?: string | null) => {
    count += 1;
    return vault.execute(
      { workspace_id: vault.workspaceId, idempotency_key: `k-${count}`, ...envelope },
      { principal, ...(ifMatch === undefined ? {} : { ifMatch }) },
    );
  };
  const lastOf = async (path: string): Promise<CanonicalEvent | null> => {
    let last: CanonicalEvent | null = null;
    for await (const { event } of vault.events()) if (event.subject === path && recordedState(event) !== null) last = event;
    return last;
  };
  const read = async (path: string): Promise<ExecutorDocument | null> => {
    const stored = await vault.read(path).catch(() => null);
    if (stored === null) return null;
    const parsed = parseDocument(stored.text);
    if (parsed.kind !== 'document') return null;
    const { data, body } = parsed.document;
    return { path, hash: stored.hash, data, body, outside: outsideReason({ last: await lastOf(path), hash: stored.hash }) };
  };
  const runVault = (capabilities: readonly string[]): RunVault => {
    const principal: Principal = {
      id: 'assistant:test',
      kind: 'agent',
      workspaceIds: [vault.workspaceId],
      capabilities,
      authentication: { provider: 'runtime', assurance: 'verified' },
    };
    const readable = (type: string | null): boolean => capabilities.some(one => capabilityCovers(one, `${type ?? 'ssss:markdown'}:read`));
    return {
      capabilities,
      async read(path) {
        const stored = await vault.read(path).catch(() => null);
        return stored !== null && readable(stored.type) ? read(path) : null;
      },
      async list({ prefix, type, limit }) {
        const rows = [];
        for await (const row of vault.list({ ...(prefix === undefined ? {} : { prefix }), ...(type === undefined ? {} : { type }) }))
          if (readable(row.type)) rows.push({ path: row.path, type: row.type, title: row.title });
        return rows.slice(0, limit);
      },
      async search(query, limit) {
        const hits = [];
        for await (const row of vault.list()) {
          const stored = readable(row.type) ? await vault.read(row.path) : null;
          if (stored?.text.includes(query) === true) hits.push({ path: row.path, title: row.title ?? '', snippet: stored.text.slice(-80) });
        }
        return hits.slice(0, limit);
      },
      outside: async path => (await read(path))?.outside ?? null,
      async submit({ ifMatch, ...envelope }) {
        const response = await submit(envelope, principal, ifMatch);
        return response.success
          ? { success: true, path: envelope.path }
          : { success: false, code: response.error.code, message: response.error.message };
      },
    };
  };
  const required = async (path: string): Promise<ExecutorDocument> => {
    const document = await read(path);
    if (document === null) throw new Error(`no document at ${path}`);
    return document;
  };
  return {
    vault,
    steps,
    taints,
    async write(path, text, principal = vault.localPrincipal()) {
      const response = await submit({ type: 'operation', path, content: text }, principal);
      if (!response.success) throw new Error(response.error.message);
    },
    text: async path => (await vault.read(path))?.text ?? null,
    async execution({
      capabilities = ['*:*'],
      task = 'tasks/t.md',
      workflow = null,
      assistant = null,
      skills = [],
      decision = null,
      ...more
    }) {
      const work = await required(task);
      return {
        task: more.outsideTask === undefined ? work : { ...work, outside: more.outsideTask },
        workflow: workflow === null ? null : await required(workflow),
        assistant: assistant === null ? null : await required(assistant),
        skills: await Promise.all(skills.map(required)),
        runPath: 'runs/r.md',
        attempt: 1,
        decision,
        signal: more.signal ?? new AbortController().signal,
        vault: runVault(capabilities),
        step: async step => void steps.push(step),
        taint: source => void taints.push(source),
      };
    },
  };
};

export const agent = (vault: Vault, capabilities: readonly string[] = ['*:*']): Principal => ({
  id: 'agent:mail',
  kind: 'agent',
  workspaceIds: [vault.workspaceId],
  capabilities,
  authentication: { provider: 'library', assurance: 'verified' },
});

/** A document of a type with what the standard requires of all. */
export const document = (type: string, fields: Readonly<Record<string, unknown>> = {}, body = ''): string => {
  const all = { type, title: 'T', description: 'D', timestamp: '2026-05-16T08:00:00Z', ...fields };
  return `---\n${Object.entries(all)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join('\n')}\n---\n\n${body}\n`;
};

export const task = (fields: Readonly<Record<string, unknown>> = {}, body = 'Do it.'): string =>
  document('task', { priority: 50, category: 'test', status: 'pending', ...fields }, body);

/** A scripted model in place of a real one, as `sheaf model set scripted --script` makes it. */
export const scriptedModel = (turns: readonly object[]): LanguageModel => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-executors-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const script = join(directory, 'script.json');
  writeFileSync(script, JSON.stringify({ version: 1, turns }));
  const settings = JSON.stringify({ version: 1, models: { scripted: { provider: 'scripted', script } } });
  const models = openLanguageModels({
    file: { path: 'models.json', read: () => settings, change: async () => undefined },
    readSecret: () => {
      throw new Error('no secrets');
    },
  });
  const { model } = models.open('scripted');
  if (model === null) throw new Error('no model');
  return model;
};

export const executor = (
  kind: Executor['kind'],
  bench: RunBench,
  options: Partial<ExecutorOptions> & { readonly allow?: object } = {},
): Executor => {
  const settings = checkExecutorSettings({ version: 1, ...options.allow }, 'executors.json');
  const made = createExecutors({
    registry: bench.vault.registry,
    resolveModel: async () => ({ model: null, problem: 'no language model is set' }),
    settings: () => settings,
    trusted: () => true,
    readSecret: name => {
      throw new Error(`no secret '${name}'`);
    },
    ...options,
  }).find(candidate => candidate.kind === kind);
  if (made === undefined) throw new Error(kind);
  return made;
};
