import { VaultError } from '#errors';
import type { VaultAdapters } from '#open-vault';
import type { JsonMap } from './json.ts';
import type { AdapterName, Fault } from './scenario.ts';

/** Watches the adapters of one vault: counts calls, makes armed ones fail, and lets something else happen in between. */
export interface AdapterWatch {
  wrap(adapters: VaultAdapters): VaultAdapters;
  /** Counts a call of something that is no store, and fails it when a fault is armed. */
  note(adapter: AdapterName, method: string): void;
  arm(fault: Fault): void;
  calls(): Readonly<Record<string, number>>;
  forgetIdempotency(): void;
  /** Runs `work` once, after the next call of the method has its answer and before the caller gets it. */
  after(place: { readonly adapter: AdapterName; readonly method: string }, work: () => Promise<unknown>): void;
  /** The stores as they are, unwatched. */
  readonly real: VaultAdapters | null;
}

interface Armed {
  readonly fault: Fault;
  left: number;
}

export const createAdapterWatch = (options: { readonly noLeaseStore: boolean }): AdapterWatch => {
  const armed: Armed[] = [];
  const between: { place: { adapter: AdapterName; method: string }; work: () => Promise<unknown> }[] = [];
  let counts: Record<string, number> = {};
  let forgotten: Map<string, unknown> | null = null;
  let real: VaultAdapters | null = null;

  const note = (adapter: AdapterName, method: string): void => {
    counts[adapter] = (counts[adapter] ?? 0) + 1;
    const due = armed.find(each => each.left > 0 && each.fault.adapter === adapter && each.fault.method === method);
    if (due === undefined) return;
    due.left -= 1;
    if (due.fault.error === 'version_conflict')
      throw new VaultError('version_conflict', { path: '' }, 'another writer was first (injected)');
    throw new Error(`injected fault in ${adapter}.${method}`);
  };

  const afterCall = async (adapter: AdapterName, method: string): Promise<void> => {
    const index = between.findIndex(({ place }) => place.adapter === adapter && place.method === method);
    // Taken off first: the work itself calls the same adapters.
    if (index >= 0) await between.splice(index, 1)[0]?.work();
  };

  const watched = <T extends object>(adapter: AdapterName, target: T): T =>
    new Proxy(target, {
      get: (_, method) => {
        const member: unknown = Reflect.get(target, method, target);
        if (typeof member !== 'function' || typeof method !== 'string') return member;
        // The journal is called by the store's own recovery as well, so it counts as no read of a document.
        if (method === 'intentJournal') return member.bind(target);
        return (...args: readonly unknown[]): unknown => {
          note(adapter, method);
          const answer: unknown = Reflect.apply(member, target, args);
          if (!(answer instanceof Promise)) return answer;
          return answer.then(async (value: unknown) => {
            await afterCall(adapter, method);
            return value;
          });
        };
      },
    });

  const forgetful = (store: VaultAdapters['idempotency']): VaultAdapters['idempotency'] => ({
    get: async (workspace, key) => {
      if (forgotten === null) return store.get(workspace, key);
      return (forgotten.get(JSON.stringify([workspace, key])) as Awaited<ReturnType<typeof store.get>> | undefined) ?? null;
    },
    put: async (workspace, key, record) => {
      if (forgotten === null) return store.put(workspace, key, record);
      forgotten.set(JSON.stringify([workspace, key]), record);
    },
  });

  return {
    wrap: adapters => {
      real = adapters;
      const { vfs, events, idempotency, leases } = adapters;
      const wrapped = {
        vfs: watched('vfs', vfs),
        events: watched('events', events),
        idempotency: watched('idempotency', forgetful(idempotency)),
      };
      // The type asks for a lease store; a host that has none is what the scenario is about.
      return (options.noLeaseStore ? wrapped : { ...wrapped, leases: watched('leases', leases) }) as VaultAdapters;
    },
    note,
    arm: fault => void armed.push({ fault, left: fault.times }),
    calls: () => {
      const seen = counts;
      counts = {};
      return seen;
    },
    forgetIdempotency: () => {
      forgotten = new Map();
    },
    after: (place, work) => void between.push({ place, work }),
    get real() {
      return real;
    },
  };
};

/** A coordinator of external resources that does nothing but tell what it was asked (§6.3, resource life cycle). */
export const createResourceDiary = (watch: AdapterWatch, reserves: boolean) => {
  let diary: string[] = [];
  const attempt = (method: string): void => {
    try {
      watch.note('resources', method);
    } catch (error) {
      diary.push(`${method} failed`);
      throw error;
    }
  };
  return {
    entries: (): readonly string[] => {
      const told = diary;
      diary = [];
      return told;
    },
    coordinator: {
      prepare: async (): Promise<{ readonly token: unknown } | null> => {
        attempt('prepare');
        diary.push(reserves ? 'prepare' : 'prepare none');
        return reserves ? { token: {} as JsonMap } : null;
      },
      finalize: async (): Promise<void> => {
        attempt('finalize');
        diary.push('finalize');
      },
      reconcile: async (_request: unknown, _token: unknown, phase: string): Promise<void> => {
        diary.push(`reconcile ${phase}`);
      },
    },
  };
};
