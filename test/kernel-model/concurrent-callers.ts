// Several callers at once: scripts for them, and the history of what they were answered.
import fc from 'fast-check';
import { hashContent } from '#document';
import { answerOf, anyCommand, envelopeOf, operationOf } from './envelopes-of-commands.ts';
import { type KernelHarness, person } from './kernel-harness.ts';
import type { Act, Call, LoggedEvent, Observed } from './linearizability.ts';
import { type Command, render } from './reference-model.ts';

const paths = ['a.md', 'b/c.md'];
const path = fc.constantFrom(...paths);
// One key for both paths joins their histories; the others belong to one path by chance only.
const keys = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8', 'k9'];

const deed = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      sent: anyCommand(paths, keys, ['u1', 'u1', 'u2']),
      expects: fc.constantFrom('anything', 'anything', 'anything', 'seen', 'absent'),
      carries: fc.constantFrom('none', 'own', 'own', 'unknown'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ read: path }) },
  { weight: 2, arbitrary: fc.record({ acquire: path, who: fc.constantFrom('u1', 'u2') }) },
  { weight: 1, arbitrary: fc.record({ release: path, who: fc.constantFrom('u1', 'u2') }) },
);
export type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never;

/** What each of some callers does, one deed after the other. */
export const scripts: fc.Arbitrary<Deed[][]> = fc.array(fc.array(deed, { minLength: 2, maxLength: 7, size: 'max' }), {
  minLength: 2,
  maxLength: 6,
});

export interface History {
  readonly calls: readonly Call[];
  readonly log: readonly LoggedEvent[];
}

/** Lets all callers act at once, each on one of the kernels, which share their store. */
export async function record(kernels: readonly KernelHarness[], callers: readonly (readonly Deed[])[]): Promise<History> {
  const recorder = new Recorder();
  await Promise.all(callers.map((deeds, index) => new Caller(kernels[index % kernels.length]!, recorder).act(deeds)));
  const last = new Caller(kernels[0]!, recorder);
  // What is left stands for a read of every path after everything else.
  await last.act(paths.map(read => ({ read })));
  const events = await kernels[0]!.events();
  const positions = new Map(events.map(({ event_id }, position) => [event_id, position]));
  return {
    calls: recorder.calls.map(({ finish, ...call }) => ({ ...call, observed: finish(id => positions.get(id) ?? Number.NaN) })),
    log: events.map(({ action, subject, idempotency_key }) => ({ action, subject, key: idempotency_key })),
  };
}

type PositionOf = (eventId: string) => number;

class Recorder {
  readonly calls: (Omit<Call, 'observed'> & { readonly finish: (positionOf: PositionOf) => Observed })[] = [];
  #moment = 0;

  /** Runs `work` and keeps what it tells; null = nothing worth keeping. */
  async call<T>(
    work: () => Promise<T>,
    tell: (result: T) => { act: Act; finish: (positionOf: PositionOf) => Observed } | null,
  ): Promise<T> {
    const begin = this.#moment++;
    const result = await work();
    const end = this.#moment++;
    const told = tell(result);
    if (told !== null) this.calls.push({ begin, end, ...told });
    return result;
  }
}

class Caller {
  readonly #kernel: KernelHarness;
  readonly #recorder: Recorder;
  readonly #seen = new Map<string, string | null>();
  readonly #leases = new Map<string, string>();

  constructor(kernel: KernelHarness, recorder: Recorder) {
    this.#kernel = kernel;
    this.#recorder = recorder;
  }

  async act(deeds: readonly Deed[]): Promise<void> {
    for (const deed of deeds) {
      if ('read' in deed) await this.#read(deed.read);
      else if ('sent' in deed) await this.#send(deed);
      else if ('acquire' in deed) await this.#acquire(deed.acquire, deed.who);
      else await this.#release(deed.release, deed.who);
    }
  }

  /**
   * The file itself may show, for a moment, what a commit wrote that is then refused. So only a read that the log confirms counts as one; this is
   * how the kernel reads too.
   */
  async #read(path: string): Promise<void> {
    const { vfs, events } = this.#kernel.store;
    const read = async (): Promise<string | null | undefined> => {
      const stored = await vfs.read(path);
      const recorded = await events.lastRecorded('ws-a', path);
      if ((recorded?.hash ?? null) !== (stored?.hash ?? null)) return undefined;
      return stored === null ? null : Buffer.from(stored.bytes).toString('utf8');
    };
    const text = await this.#recorder.call(read, text =>
      text === undefined ? null : { act: { kind: 'read', path }, finish: () => ({ text }) },
    );
    if (text !== undefined) this.#seen.set(path, text);
  }

  async #send({ sent, expects, carries }: Extract<Deed, { sent: unknown }>): Promise<void> {
    const seen = this.#seen.get(sent.path);
    const versions = { anything: undefined, absent: null, seen: typeof seen === 'string' ? hashContent(seen) : seen };
    const ifMatch = sent.kind === 'event' ? undefined : versions[expects];
    const lease = { none: undefined, unknown: 'unknown', own: this.#leases.get(`${sent.who} ${sent.path}`) }[carries];
    const act: Command = { ...sent, ifMatch, lease };
    const principal = { ...person, id: sent.who, capabilities: sent.capabilities };
    const context = { principal, ...(ifMatch === undefined ? {} : { ifMatch }) };
    const response = await this.#recorder.call(
      () => this.#kernel.send(envelopeOf(act), context),
      response => ({ act, finish: positionOf => answerOf(response, positionOf) }),
    );
    if (response.success && response.committed_at !== null && act.kind === 'operation') this.#seen.set(act.path, render(act.doc));
  }

  async #acquire(target: string, who: string): Promise<void> {
    const holder = { principal_id: who, operation_id: operationOf(who) };
    const acquire = () =>
      this.#kernel.store.leases.acquire({ workspace_id: 'ws-a', target, ...holder }).then(
        lease => lease.lease_id,
        () => null,
      );
    const given = await this.#recorder.call(acquire, lease => ({
      act: { kind: 'acquire', path: target, who, lease: lease ?? 'refused' },
      finish: () => ({ held: lease !== null }),
    }));
    if (given !== null) this.#leases.set(`${who} ${target}`, given);
  }

  async #release(target: string, who: string): Promise<void> {
    const lease = this.#leases.get(`${who} ${target}`) ?? 'never given';
    const holder = { principal_id: who, operation_id: operationOf(who), lease_id: lease };
    const release = () =>
      this.#kernel.store.leases.release('ws-a', target, holder).then(
        () => true,
        () => false,
      );
    await this.#recorder.call(release, held => ({ act: { kind: 'release', path: target, who, lease }, finish: () => ({ held }) }));
  }
}
