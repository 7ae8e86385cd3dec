// A kernel on the memory store with everything a scenario looks at: the calls, the files, the log.
import type { CanonicalEvent, Clock, EventStore, Principal, ResourceCoordinator, Vfs } from '#adapter-contracts';
import {
  createKernel,
  type ExecuteContext,
  type FailureResponse,
  type KernelConfig,
  type KernelResponse,
  type SuccessResponse,
  type WorkspaceAdapters,
} from '#kernel';
import { createAuthorizer, defaultPolicy } from '#policy';
import { composeRegistry, parseExtension, type Registry } from '#registry';
import { createMemoryStore, type MemoryStore } from '#stores/memory';

export const person: Principal = {
  id: 'u1',
  kind: 'human',
  workspaceIds: ['ws-a'],
  capabilities: ['*:*'],
  authentication: { provider: 't', assurance: 'verified' },
};

export const withCapabilities = (...capabilities: readonly string[]): Principal => ({ ...person, capabilities });

/** `claim` needs a lease, `badge` has an immutable field; both are otherwise plain. */
const fieldExtension = parseExtension(
  JSON.stringify({
    registry: 'field',
    version: '1.0.0',
    primitives: {
      claim: { portability: 'structural', lease_required: true },
      badge: { portability: 'structural', required_fields: ['badge_id'], immutable_fields: ['badge_id'] },
    },
  }),
  'field.json',
);

const registry: Registry = composeRegistry({ extensions: [fieldExtension] });

const universal = 'title: T\ndescription: D\ntimestamp: 2026-01-01T00:00:00Z\n';
export const documentOf = (type: string, fields: string, body: string): string => `---\ntype: ${type}\n${universal}${fields}---\n${body}`;
export const rule = (body: string): string => documentOf('rule', 'name: r\n', body);
export const thread = (body: string): string => documentOf('thread', 'thread_id: t1\nstatus: open\n', body);
export const assistant = documentOf('assistant', 'name: a\n', '## Instructions\n');
export const claim = documentOf('field:claim', '', 'held\n');
export const memory = (fields: string): string => documentOf('memory', `slug: m\ncategory: facts\nschema_version: 1\n${fields}`, 'text\n');

/** Envelopes with a fresh key unless one is given. */
let keys = 0;
const envelope = (type: string, path: string, more: object) => ({
  type,
  workspace_id: 'ws-a',
  idempotency_key: `k${++keys}`,
  path,
  ...more,
});
export const op = (path: string, content: string, more: object = {}) => envelope('operation', path, { content, ...more });
export const patch = (path: string, patches: object, more: object = {}) => envelope('patch', path, { patches, ...more });
export const evt = (path: string, payload?: unknown, more: object = {}) =>
  envelope('event', path, { ...(payload === undefined ? {} : { content: JSON.stringify(payload) }), ...more });
export const del = (path: string, more: object = {}) => envelope('delete', path, more);

export interface KernelHarness {
  readonly store: MemoryStore;
  /** Adapter calls in order, e.g. `vfs.read`, `resources.prepare`, `resources.reconcile(commit)`. */
  readonly calls: string[];
  readonly send: (envelope: unknown, context?: Partial<ExecuteContext>) => Promise<KernelResponse>;
  /** The success of an envelope, or a thrown error that shows the refusal. */
  readonly accept: (envelope: unknown, context?: Partial<ExecuteContext>) => Promise<SuccessResponse>;
  /** The failure of an envelope, after checking that files and log stayed as they were. */
  readonly refuse: (envelope: unknown, context?: Partial<ExecuteContext>) => Promise<FailureResponse>;
  /** The code of a refusal. */
  readonly code: (envelope: unknown, context?: Partial<ExecuteContext>) => Promise<string>;
  readonly text: (path: string) => Promise<string | null>;
  /** Writes outside the kernel. */
  readonly edit: (path: string, text: string | null) => Promise<void>;
  readonly events: () => Promise<readonly CanonicalEvent[]>;
  readonly lastEvent: () => Promise<CanonicalEvent>;
  readonly snapshot: () => Promise<string>;
}

export interface HarnessOptions extends Partial<Omit<KernelConfig, 'workspaces'>> {
  readonly store?: MemoryStore;
  /** Replaces adapters, e.g. by failing ones; gets the memory store's. */
  readonly adapt?: (store: MemoryStore) => Partial<WorkspaceAdapters>;
}

const recording = <T extends object>(name: string, target: T, calls: string[]): T =>
  new Proxy(target, {
    get(object, property) {
      const value = Reflect.get(object, property) as unknown;
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]) => {
        calls.push(`${name}.${String(property)}`);
        return (value as (...given: unknown[]) => unknown).apply(object, parameters);
      };
    },
  });

export const listTexts = async (vfs: Vfs): Promise<Readonly<Record<string, string>>> => {
  const texts: Record<string, string> = {};
  for await (const { path } of vfs.list()) texts[path] = Buffer.from((await vfs.read(path))?.bytes ?? []).toString('utf8');
  return texts;
};

const listEvents = async (events: EventStore): Promise<readonly CanonicalEvent[]> => {
  const all: CanonicalEvent[] = [];
  for await (const { event } of events.replay()) all.push(event);
  return all;
};

/** A kernel bound to `ws-a` with the real policy, the core types and two of its own. */
export function openHarness(options: HarnessOptions = {}): KernelHarness {
  const { store = createMemoryStore(options.clock === undefined ? {} : { clock: options.clock }), adapt, ...config } = options;
  const calls: string[] = [];
  const adapters = { ...store, ...adapt?.(store) };
  const kernel = createKernel({
    registry,
    authorizer: createAuthorizer({ policy: defaultPolicy }),
    ...config,
    workspaces: {
      'ws-a': {
        ...adapters,
        vfs: recording('vfs', adapters.vfs, calls),
        events: recording('events', adapters.events, calls),
        idempotency: recording('idempotency', adapters.idempotency, calls),
      },
    },
  });
  const send = (sent: unknown, context: Partial<ExecuteContext> = {}) => kernel.execute(sent, { principal: person, ...context });
  const snapshot = async () => JSON.stringify([await listTexts(store.vfs), await listEvents(store.events)]);
  const refuse: KernelHarness['refuse'] = async (sent, context) => {
    const before = await snapshot();
    const response = await send(sent, context);
    if (response.success) throw new Error(`expected a refusal, got ${JSON.stringify(response)}`);
    if ((await snapshot()) !== before) throw new Error('a refused envelope left a trace');
    return response;
  };
  return {
    store,
    calls,
    send,
    refuse,
    snapshot,
    async accept(sent, context) {
      const response = await send(sent, context);
      if (!response.success) throw new Error(JSON.stringify(response.error));
      return response;
    },
    code: async (sent, context) => (await refuse(sent, context)).error.code,
    text: async path => (await listTexts(store.vfs))[path] ?? null,
    async edit(path, text) {
      const now = await store.vfs.read(path);
      if (text !== null) await store.vfs.writeAtomic(path, Buffer.from(text), now === null ? { ifAbsent: true } : { version: now.version });
      else if (now !== null) await store.vfs.remove(path, { version: now.version });
    },
    events: () => listEvents(store.events),
    lastEvent: async () => (await listEvents(store.events)).at(-1)!,
  };
}

/** The same adapter, but the named method throws `error` the first `times` times. */
export function failing<T extends object>(target: T, method: keyof T & string, error: Error, times = 1): T {
  let left = times;
  return new Proxy(target, {
    get(object, property) {
      const value = Reflect.get(object, property) as unknown;
      if (property !== method || typeof value !== 'function') return typeof value === 'function' ? value.bind(object) : value;
      return async (...parameters: unknown[]) => {
        if (left-- > 0) throw error;
        return (value as (...given: unknown[]) => unknown).apply(object, parameters);
      };
    },
  });
}

/** A coordinator that reserves something for every document and logs what became of it. */
export function countingResources(log: string[], fail: { readonly [call: string]: boolean } = {}): ResourceCoordinator {
  const step = async (name: string): Promise<void> => {
    log.push(name);
    if (fail[name] === true) throw new Error(`${name} is down`);
  };
  return {
    async prepare() {
      await step('prepare');
      return { token: 'held' };
    },
    finalize: () => step('finalize'),
    reconcile: (_request, _token, phase) => step(`reconcile(${phase})`),
  };
}

export const fixedClock = (at = '2026-05-16T14:00:00.000Z'): Clock & { move(seconds: number): void } => {
  let now = Date.parse(at);
  return {
    now: () => new Date(now),
    move(seconds) {
      now += seconds * 1000;
    },
  };
};
