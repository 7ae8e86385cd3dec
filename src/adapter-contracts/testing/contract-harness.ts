import type { Clock, EventStore, IdempotencyStore, LeaseStore, Vfs } from '#adapter-contracts';
import { fakeClock } from './fake-clock.ts';

/**
 * What a contract suite needs of a test runner; vitest's and node:test's own `describe` and `test` both fit. Passed in, so that this package
 * depends on no runner; the suites check with `node:assert`.
 */
export interface TestApi {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
}

/** The adapters a store may bring; a suite asks for the one it is about. */
export interface StoreParts {
  readonly vfs: Vfs;
  readonly events: EventStore;
  readonly idempotency: IdempotencyStore;
  readonly leases: LeaseStore;
}

/** The adapter a suite is about, and whatever else the store brings. Where there is a choice, the store is that of the workspace `ws-acme`. */
export type OpenStore<Part extends keyof StoreParts> = Pick<StoreParts, Part> & {
  /** A VFS that knows documents by the store's own event log must bring that log: the VFS suite then records what it writes. */
  readonly events?: EventStore;
  /** Names the stored state for `reopen` and for child processes, typically a directory. Required of harnesses that offer either. */
  readonly location?: string;
  /** Lets go of the stored state without removing it. */
  close?(): Promise<void>;
};

export interface OpenOptions {
  readonly clock: Clock;
}

/** How a child process opens the same state: it imports `module` and calls its export `factory` with `argument(location)`. */
export interface ChildStore {
  /** URL of compiled JavaScript. */
  readonly module: string;
  /** Name of an exported function that resolves to an object with the adapter under test and, optionally, `close()`. */
  readonly factory: string;
  /** Anything the structured clone algorithm can copy. */
  argument(location: string): unknown;
}

/**
 * A store under test. `reopen` and `multiProcess` are capabilities: each adds tests, and a store that has the capability must declare it.
 *
 * @example vfsContract({ name: 'memory', describe, test, open: async ({ clock }) => createMemoryStore({ clock }) });
 */
export interface ContractHarness<Part extends keyof StoreParts> extends TestApi {
  readonly name: string;
  /** A fresh, empty store. */
  open(options: OpenOptions): Promise<OpenStore<Part>>;
  /** Opens existing state again, after a close or beside an opening that still lives. For stores whose state outlives `close`. */
  reopen?(location: string, options: OpenOptions): Promise<OpenStore<Part>>;
  /** For stores that several processes may use at once. */
  readonly multiProcess?: ChildStore;
  /** Attempts of each writer in a counting race; default 40. */
  readonly rounds?: number;
}

/** The harness of a durable store, for suites that only make sense there. */
export type DurableHarness<Part extends keyof StoreParts> = ContractHarness<Part> & Required<Pick<ContractHarness<Part>, 'reopen'>>;

export const isDurable = <Part extends keyof StoreParts>(harness: ContractHarness<Part>): harness is DurableHarness<Part> =>
  harness.reopen !== undefined;

/** The location of an opened store, or a plain complaint about the harness. */
export const locationOf = (store: { readonly location?: string }): string => {
  if (store.location === undefined) throw new Error('a harness with `reopen` or `multiProcess` must return `location` from `open`');
  return store.location;
};

/** Runs `body` on a fresh store and closes it whatever happens. */
export const withStore = async <Part extends keyof StoreParts>(
  harness: ContractHarness<Part>,
  body: (store: OpenStore<Part>) => Promise<void>,
  clock: Clock = fakeClock(),
): Promise<void> => {
  const store = await harness.open({ clock });
  try {
    await body(store);
  } finally {
    await store.close?.();
  }
};

/** Runs `before` on a fresh store, closes it, and runs `after` on what a new opening finds. */
export const acrossReopen = async <Part extends keyof StoreParts, T>(
  harness: DurableHarness<Part>,
  before: (store: OpenStore<Part>) => Promise<T>,
  after: (store: OpenStore<Part>, carried: T) => Promise<void>,
  clock: Clock = fakeClock(),
): Promise<void> => {
  const first = await harness.open({ clock });
  const location = locationOf(first);
  let carried: T;
  try {
    carried = await before(first);
  } finally {
    await first.close?.();
  }
  const second = await harness.reopen(location, { clock });
  try {
    await after(second, carried);
  } finally {
    await second.close?.();
  }
};

/** Runs `body` on two openings of one state that live at the same time in this process. */
export const withTwoOpenings = async <Part extends keyof StoreParts>(
  harness: DurableHarness<Part>,
  body: (one: OpenStore<Part>, other: OpenStore<Part>) => Promise<void>,
): Promise<void> => {
  const clock = fakeClock();
  await withStore(
    harness,
    async one => {
      const other = await harness.reopen(locationOf(one), { clock });
      try {
        await body(one, other);
      } finally {
        await other.close?.();
      }
    },
    clock,
  );
};
