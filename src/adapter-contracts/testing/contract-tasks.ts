import type { CanonicalEvent, CommitIntent, Expected, IdempotencyRecord, RecoveryReport } from '#adapter-contracts';
import type { Task } from './child-task.ts';
import type { ChildStore, OpenStore, StoreParts } from './contract-harness.ts';
import { counterDocument, readCounter } from './counter-document.ts';
import { resolveByTable } from './intent-table.ts';
import { outcomeOf } from './refusal.ts';

// What the contract suites run in child processes (see `startTask`). Each task opens the shared store by the harness's own factory.

/** A `ChildStore` in a form that can be sent to a child. */
export interface SentStore {
  readonly module: string;
  readonly factory: string;
  readonly argument: unknown;
}

export const sentStore = (store: ChildStore, location: string): SentStore => ({
  module: store.module,
  factory: store.factory,
  argument: store.argument(location),
});

const inStore = async <Part extends keyof StoreParts, T>(
  { module, factory, argument }: SentStore,
  use: (store: OpenStore<Part>) => Promise<T>,
) => {
  const exports = (await import(module)) as Record<string, ((argument: unknown) => Promise<OpenStore<Part>>) | undefined>;
  const open = exports[factory];
  if (open === undefined) throw new Error(`${module} exports no function '${factory}'`);
  const store = await open(argument);
  try {
    return await use(store);
  } finally {
    await store.close?.();
  }
};

export interface CountTask {
  readonly store: SentStore;
  readonly path: string;
  readonly rounds: number;
}

/** Reads a counter document and writes it back plus one, `rounds` times; returns how many of its writes won. */
export const countUp: Task<CountTask, number> = ({ store, path, rounds }, control) =>
  inStore<'vfs', number>(store, async ({ vfs }) => {
    await control.ready();
    let won = 0;
    for (let round = 0; round < rounds; round += 1) {
      const current = await vfs.read(path);
      if (current === null) throw new Error(`'${path}' vanished while it was being replaced`);
      const next = counterDocument(readCounter(current.bytes) + 1);
      const outcome = await outcomeOf(() => vfs.writeAtomic(path, next, { version: current.version }));
      if (outcome === 'won') won += 1;
      else if (outcome !== 'version_conflict') throw new Error(`a lost compare-and-swap must be version_conflict, got ${outcome}`);
    }
    return won;
  });

export interface WriteTask {
  readonly store: SentStore;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly expected: Expected;
}

export const writeOnce: Task<WriteTask, string> = ({ store, path, bytes, expected }, control) =>
  inStore<'vfs', string>(store, async ({ vfs }) => {
    await control.ready();
    return outcomeOf(() => vfs.writeAtomic(path, bytes, expected));
  });

export interface AppendTask {
  readonly store: SentStore;
  readonly events: readonly CanonicalEvent[];
}

export const appendEach: Task<AppendTask, readonly string[]> = ({ store, events: all }, control) =>
  inStore<'events', readonly string[]>(store, async ({ events }) => {
    await control.ready();
    const outcomes: string[] = [];
    for (const event of all) outcomes.push(await outcomeOf(() => events.append(event)));
    return outcomes;
  });

export interface PutTask {
  readonly store: SentStore;
  readonly workspaceId: string;
  readonly key: string;
  readonly record: IdempotencyRecord;
}

export const putOnce: Task<PutTask, string> = ({ store, workspaceId, key, record }, control) =>
  inStore<'idempotency', string>(store, async ({ idempotency }) => {
    await control.ready();
    return outcomeOf(() => idempotency.put(workspaceId, key, record));
  });

export interface AcquireTask {
  readonly store: SentStore;
  readonly target: string;
  readonly principalId: string;
}

export const acquireOnce: Task<AcquireTask, string> = ({ store, target, principalId }, control) =>
  inStore<'leases', string>(store, async ({ leases }) => {
    await control.ready();
    const request = { workspace_id: 'ws-acme', target, principal_id: principalId, operation_id: `op-${principalId}`, ttlSeconds: 3600 };
    return outcomeOf(() => leases.acquire(request));
  });

export interface CommitTask {
  readonly store: SentStore;
  readonly intent: CommitIntent;
  /** Null removes the document. */
  readonly content: Uint8Array | null;
  readonly pause: 'before_write' | 'after_write';
}

/** Begins a commit and pauses inside it, where the parent may kill, stop or release it. */
export const pauseInCommit: Task<CommitTask, string> = ({ store, intent, content, pause }, control) =>
  inStore<'vfs', string>(store, async ({ vfs }) => {
    const journal = vfs.intentJournal?.();
    if (journal === undefined) throw new Error('the store offers no intent journal');
    const { path } = intent;
    const write = async () => {
      const current = await vfs.read(path);
      if (content !== null) await vfs.writeAtomic(path, content, current === null ? { ifAbsent: true } : { version: current.version });
      else if (current !== null) await vfs.remove(path, { version: current.version });
    };
    const commit = async () => {
      if (pause === 'after_write') await write();
      await control.ready();
      if (pause === 'before_write') await write();
      return 'done';
    };
    return journal.run(path, intent, commit, { resolve: resolveByTable(new Set()) });
  });

export interface RecoverTask {
  readonly store: SentStore;
}

export const recoverOnce: Task<RecoverTask, readonly RecoveryReport[]> = ({ store }, control) =>
  inStore<'vfs', readonly RecoveryReport[]>(store, async ({ vfs }) => {
    await control.ready();
    return (await vfs.intentJournal?.().recover(resolveByTable(new Set()))) ?? [];
  });
