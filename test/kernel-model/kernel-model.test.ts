import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Clock } from '#adapter-contracts';
import { hashContent } from '#document';
import type { MemoryStore } from '#stores/memory';
import { answerOf, anyCommand, anyDoc, envelopeOf, operationOf, patience, runs, seed } from './envelopes-of-commands.ts';
import { fixedClock, type KernelHarness, listTexts, openHarness, person } from './kernel-harness.ts';
import { fsPlace, memoryPlace, type StorePlace } from './model-stores.ts';
import { type Command, type Doc, Model, render } from './reference-model.ts';

const paths = ['a.md', 'b/c.md'];
const path = fc.constantFrom(...paths);
const command = fc.record({
  sent: anyCommand(paths, ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8'], ['u1', 'u1', 'u1', 'u2']),
  expects: fc.constantFrom('anything', 'anything', 'anything', 'current', 'stale', 'absent'),
  carries: fc.constantFrom('none', 'none', 'live', 'live', 'unknown'),
  fault: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'none', 'get', 'append', 'put'),
});
const step = fc.oneof(
  { weight: 12, arbitrary: command },
  { weight: 2, arbitrary: fc.record({ acquire: path, who: fc.constantFrom('u1', 'u2') }) },
  { weight: 1, arbitrary: fc.record({ release: path, who: fc.constantFrom('u1', 'u2') }) },
  { weight: 1, arbitrary: fc.record({ edit: path, doc: fc.option(anyDoc) }) },
  { weight: 1, arbitrary: fc.constantFrom('forget' as const, 'reopen' as const) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Sending = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** The store with calls that fail when told to. */
const breakable = (store: MemoryStore) => {
  const state: { fault: Sending['fault'] } = { fault: 'none' };
  const guard = (name: Sending['fault']): void => {
    if (state.fault === name) throw new Error(`${name} failed`);
  };
  const idempotency: MemoryStore['idempotency'] = {
    async get(workspaceId, key) {
      guard('get');
      return store.idempotency.get(workspaceId, key);
    },
    async put(workspaceId, key, record) {
      guard('put');
      return store.idempotency.put(workspaceId, key, record);
    },
  };
  const append: MemoryStore['events']['append'] = async event => {
    guard('append');
    return store.events.append(event);
  };
  return { state, adapters: { idempotency, events: { ...store.events, append } } };
};

/** One store, one kernel and one model side by side. */
class Comparison {
  readonly model = new Model();
  readonly leases = new Map<string, string>();
  readonly eventIds: string[] = [];
  fault: { fault: Sending['fault'] } = { fault: 'none' };
  harness!: KernelHarness;
  readonly place: StorePlace;
  readonly clock: Clock;

  constructor(open: (clock: Clock) => StorePlace) {
    this.clock = fixedClock();
    this.place = open(this.clock);
  }

  async use(store: Promise<MemoryStore>): Promise<void> {
    const opened = await store;
    const { state, adapters } = breakable(opened);
    this.fault = state;
    this.harness = openHarness({ store: opened, clock: this.clock, adapt: () => adapters });
  }

  async take(step: Step): Promise<void> {
    if (step === 'reopen') return this.use(this.place.open());
    if (step === 'forget') {
      this.model.forget();
      return this.use(this.place.openForgetful());
    }
    if ('acquire' in step || 'release' in step) return this.lease(step);
    if ('edit' in step) {
      this.model.edit(step.edit, step.doc);
      return this.harness.edit(step.edit, step.doc === null ? null : render(step.doc));
    }
    return this.send(step);
  }

  async lease(step: { acquire: string; who: string } | { release: string; who: string }): Promise<void> {
    const { leases } = this.harness.store;
    const target = 'acquire' in step ? step.acquire : step.release;
    const holder = { principal_id: step.who, operation_id: operationOf(step.who) };
    const before = this.leases.get(target) ?? 'never given';
    const done = await ('acquire' in step
      ? leases.acquire({ workspace_id: 'ws-a', target, ...holder }).then(
          lease => lease.lease_id,
          () => null,
        )
      : leases.release('ws-a', target, { ...holder, lease_id: before }).then(
          () => before,
          () => null,
        ));
    if ('acquire' in step) {
      expect(done !== null).toBe(this.model.acquire(target, step.who, done ?? 'refused'));
      if (done !== null) this.leases.set(target, done);
    } else expect(done !== null).toBe(this.model.release(target, step.who, before));
  }

  async send({ sent, expects, carries, fault }: Sending): Promise<void> {
    const text = this.model.textAt(sent.path);
    const stale = hashContent('never stored');
    const versions = { anything: undefined, absent: null, stale, current: text === null ? stale : hashContent(text) };
    const lease = { none: undefined, unknown: 'unknown', live: this.leases.get(sent.path) }[carries];
    const ifMatch = sent.kind === 'event' ? undefined : versions[expects];
    const taken: Command = { ...sent, fault, ifMatch, lease };
    const expected = this.model.step(taken);
    this.fault.fault = fault;
    const principal = { ...person, id: taken.who, capabilities: taken.capabilities };
    const response = await this.harness.send(envelopeOf(taken), { principal, ...(ifMatch === undefined ? {} : { ifMatch }) });
    this.fault.fault = 'none';
    if (response.success && response.replay !== true && response.event_id !== undefined) this.eventIds.push(response.event_id);
    expect(answerOf(response, id => this.eventIds.indexOf(id))).toEqual(expected);
  }

  async compareStored(): Promise<void> {
    const texts = Object.fromEntries([...this.model.docs].map(([at, doc]: readonly [string, Doc]) => [at, render(doc)]));
    expect(await listTexts(this.harness.store.vfs)).toEqual(texts);
  }
}

/** What the kernel draws for itself, and so differs from run to run. */
const chosenAtRandom = { event_id: '', correlation_id: '' };

async function run(open: (clock: Clock) => StorePlace, steps: readonly Step[]): Promise<string> {
  const comparison = new Comparison(open);
  try {
    await comparison.use(comparison.place.open());
    for (const taken of steps) {
      await comparison.take(taken);
      await comparison.compareStored();
    }
    const { model, harness, eventIds } = comparison;
    const log = await harness.events();
    expect(log.map(event => ({ action: event.action, subject: event.subject, key: event.idempotency_key }))).toEqual(model.log);
    expect(log.map(event => event.event_id)).toEqual(eventIds);
    return JSON.stringify([await listTexts(harness.store.vfs), log.map(event => ({ ...event, ...chosenAtRandom }))]);
  } finally {
    await comparison.place.end();
  }
}

const sequences = (maxLength: number): fc.Arbitrary<Step[]> => fc.array(step, { maxLength, size: 'max' });
const follows = (open: (clock: Clock) => StorePlace, maxLength: number, numRuns: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(sequences(maxLength), async steps => {
      await run(open, steps);
    }),
    runs(numRuns),
  );

test(
  `on the memory store the kernel answers and stores what the model says, for any sequence of envelopes, leases, edits and failures (seed ${seed})`,
  patience,
  () => follows(memoryPlace, 25, 300),
);

test(`on the disk it does so too, also when the store is closed and opened again in between (seed ${seed})`, patience, () =>
  follows(fsPlace, 40, 150),
);

test(`the same envelopes leave the same vault and the same history (seed ${seed})`, patience, () =>
  fc.assert(
    fc.asyncProperty(sequences(15), async steps => {
      expect(await run(memoryPlace, steps)).toBe(await run(memoryPlace, steps));
    }),
    runs(40),
  ),
);
