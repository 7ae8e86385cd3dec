import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DuplicateEventError, type EventStore, UnknownAppendOutcomeError, type Vfs } from '#adapter-contracts';
import { VaultError } from '#errors';
import { createMemoryStore } from '#stores/memory';
import {
  claim,
  countingResources,
  del,
  evt,
  failing,
  op,
  openHarness,
  patch,
  person,
  rule,
} from '../../test/kernel-model/kernel-harness.ts';

const down = new Error('the disk is full');
const brokenLog = (times = 1) => ({ adapt: (store: { events: EventStore }) => ({ events: failing(store.events, 'append', down, times) }) });

test('a failing append undoes a create and frees its key', async () => {
  const log: string[] = [];
  const { refuse, accept, text } = openHarness({ ...brokenLog(), resources: countingResources(log) });
  const sent = op('a.md', rule('x'));
  const { error } = await refuse(sent);
  expect(error.code).toBe('internal_error');
  expect(error.message).toContain('the disk is full');
  expect(await text('a.md')).toBeNull();
  expect(log).toEqual(['prepare', 'reconcile(commit)']);
  expect((await accept(sent)).replay).toBeUndefined();
});

test('a failing append restores what a replace, a patch or a delete changed', async () => {
  const store = createMemoryStore();
  await openHarness({ store }).accept(op('a.md', rule('one')));
  const { code, text, accept } = openHarness({ store, ...brokenLog(3) });
  for (const envelope of [op('a.md', rule('two')), patch('a.md', { scope: 's' }), del('a.md')]) {
    expect(await code(envelope)).toBe('internal_error');
    expect(await text('a.md')).toBe(rule('one'));
  }
  await accept(op('a.md', rule('two')));
});

test('a failing append of an event leaves nothing', async () => {
  const { code, accept, calls } = openHarness(brokenLog());
  const sent = evt('x', 1);
  expect(await code(sent)).toBe('internal_error');
  await accept(sent);
  expect(calls.filter(call => call.startsWith('vfs.write'))).toEqual([]);
});

test('a write that failed but landed is taken back', async () => {
  const store = createMemoryStore();
  let fail = true;
  const vfs: Vfs = {
    ...store.vfs,
    async writeAtomic(path, bytes, expected) {
      const written = await store.vfs.writeAtomic(path, bytes, expected);
      if (!fail) return written;
      fail = false;
      throw down;
    },
  };
  const { code, accept } = openHarness({ store, adapt: () => ({ vfs }) });
  const sent = op('a.md', rule('x'));
  expect(await code(sent)).toBe('internal_error');
  await accept(sent);
});

test('an append of unknown outcome is decided by the log before the next commit on the path', async () => {
  for (const landed of [true, false]) {
    const store = createMemoryStore();
    let first = true;
    const events: EventStore = {
      ...store.events,
      async append(event) {
        if (landed || !first) await store.events.append(event);
        if (first) {
          first = false;
          throw new UnknownAppendOutcomeError('the reply was lost');
        }
      },
    };
    const reports: unknown[] = [];
    const { send, accept, text } = openHarness({ store, adapt: () => ({ events }), onRecovery: found => reports.push(...found) });
    const sent = op('a.md', rule('x'));
    const response = await send(sent);
    expect(response).toMatchObject({ success: false, error: { code: 'internal_error' } });
    expect(await text('a.md')).toBe(rule('x'));
    expect((await accept(sent, {})).replay).toBe(landed ? true : undefined);
    await accept(op('a.md', rule('y')));
    expect(reports).toMatchObject([{ path: 'a.md', outcome: landed ? 'committed' : 'rolled_back' }]);
  }
});

test('an undo that fails is left to recovery', async () => {
  const store = createMemoryStore();
  const vfs = failing(store.vfs, 'remove', down);
  const { send, accept } = openHarness({ store, adapt: given => ({ vfs, events: failing(given.events, 'append', down) }) });
  const sent = op('a.md', rule('x'));
  expect(await send(sent)).toMatchObject({ success: false, error: { code: 'internal_error' } });
  const retried = await accept(sent);
  expect(retried.replay).toBeUndefined();
  expect((await openHarness({ store }).lastEvent()).event_id).toBe(retried.event_id);
});

test('finalize, projection and store failures are warnings on a commit that stands', async () => {
  const log: string[] = [];
  const projections = {
    dispatch: () => Promise.reject(new Error('search: index is locked')),
    replay: async () => undefined,
    detectDrift: async () => false,
  };
  const { accept, events, text } = openHarness({
    projections,
    resources: countingResources(log, { finalize: true, 'reconcile(finalize)': true }),
    adapt: store => ({ idempotency: failing(store.idempotency, 'put', down) }),
  });
  const { validation, event_id } = await accept(op('a.md', rule('x')));
  expect(validation.valid).toBe(true);
  expect(validation.warnings).toHaveLength(4);
  expect(validation.warnings.join()).toMatch(/finalize is down.*reconcile\(finalize\) is down.*search: index is locked.*the disk is full/);
  expect(log).toEqual(['prepare', 'finalize', 'reconcile(finalize)']);
  expect((await events()).map(event => event.event_id)).toEqual([event_id]);
  expect((await events())[0]?.resource_status).toBe('prepared');
  expect(await text('a.md')).toBe(rule('x'));
});

test('projections get the event and the committed bytes, null when the document is gone', async () => {
  const seen: unknown[] = [];
  const dispatch = async (event: { action: string }, after: Uint8Array | null) => {
    seen.push([event.action, after === null ? null : Buffer.from(after).toString()]);
  };
  const { accept } = openHarness({ projections: { dispatch, replay: async () => undefined, detectDrift: async () => false } });
  await accept(op('a.md', rule('x')));
  await accept(del('a.md'));
  await accept(evt('x'));
  expect(seen).toEqual([
    ['create', rule('x')],
    ['delete', null],
    ['event', null],
  ]);
});

test('every prepared resource ends in exactly one finalize or reconcile, wherever the envelope fails', async () => {
  const refused = new VaultError('version_conflict', { path: 'a.md' }, 'lost');
  const faults: readonly (readonly [string, object, readonly string[]])[] = [
    ['nothing', {}, ['prepare', 'finalize']],
    ['prepare', { resources: { prepare: true } }, ['prepare']],
    ['journal', { journal: down }, ['prepare', 'reconcile(commit)']],
    ['lock', { journal: refused }, ['prepare', 'reconcile(commit)']],
    ['twin', { vfs: ['findTwin', 1] }, ['prepare', 'reconcile(commit)']],
    ['write', { vfs: ['writeAtomic', 0] }, ['prepare', 'reconcile(commit)']],
    ['swap', { vfs: ['writeAtomic', 0, refused] }, ['prepare', 'reconcile(commit)']],
    ['append', { events: ['append', 0] }, ['prepare', 'reconcile(commit)']],
    ['unknown append', { events: ['append', 0, new UnknownAppendOutcomeError('?')] }, ['prepare', 'reconcile(commit)']],
    ['duplicate', { events: ['append', 0, new DuplicateEventError('event_id', 'e')] }, ['prepare', 'reconcile(commit)']],
    ['reconcile', { events: ['append', 0], resources: { 'reconcile(commit)': true } }, ['prepare', 'reconcile(commit)']],
    ['finalize', { resources: { finalize: true } }, ['prepare', 'finalize', 'reconcile(finalize)']],
    ['put', { idempotency: ['put', 0] }, ['prepare', 'finalize']],
  ];
  for (const [name, fault, expected] of faults) {
    const log: string[] = [];
    const { send } = openHarness(faulty(fault as Fault, log));
    await send(op('a.md', rule('x')));
    expect([name, ...log]).toEqual([name, ...expected]);
  }
});

type Call = readonly [string, number, Error?];
interface Fault {
  readonly resources?: { readonly [call: string]: boolean };
  readonly journal?: Error;
  readonly vfs?: Call;
  readonly events?: Call;
  readonly idempotency?: Call;
}

/** Fails the given call after it was answered `after` times. */
function failingAfter<T extends object>(target: T, call: Call | undefined): T {
  if (call === undefined) return target;
  const [method, after, error = down] = call;
  let calls = 0;
  return new Proxy(target, {
    get(object, property) {
      const value = Reflect.get(object, property) as unknown;
      if (property !== method) return value;
      return async (...parameters: unknown[]) => {
        if (calls++ === after) throw error;
        return (value as (...given: unknown[]) => unknown).apply(object, parameters);
      };
    },
  });
}

function faulty(fault: Fault, log: string[]) {
  return {
    resources: countingResources(log, fault.resources),
    adapt: (store: ReturnType<typeof createMemoryStore>) => {
      const vfs = failingAfter(store.vfs, fault.vfs);
      const { journal } = fault;
      const broken = { run: () => Promise.reject(journal), settle: async () => [], recover: async () => [] };
      return {
        vfs: journal === undefined ? vfs : { ...vfs, intentJournal: () => broken },
        events: failingAfter(store.events, fault.events),
        idempotency: failingAfter(store.idempotency, fault.idempotency),
      };
    },
  };
}

test('a journal that fails after the commit point cannot fail the envelope', async () => {
  const store = createMemoryStore();
  const journal = {
    async run<T>(_path: string, _intent: unknown, commit: (scope: { resolved: []; keepIntent(): void }) => Promise<T>): Promise<T> {
      await commit({ resolved: [], keepIntent: () => undefined });
      throw new Error('the intent cannot be removed');
    },
    settle: async () => [],
    recover: async () => [],
  };
  const log: string[] = [];
  const { accept } = openHarness({
    store,
    resources: countingResources(log),
    adapt: () => ({ vfs: { ...store.vfs, intentJournal: () => journal } }),
  });
  const sent = op('a.md', rule('x'));
  const { event_id, validation } = await accept(sent);
  expect(event_id).toBeDefined();
  expect(validation.warnings.join()).toContain('the intent cannot be removed');
  expect(log).toEqual(['prepare', 'finalize']);
  expect((await store.idempotency.get('ws-a', sent.idempotency_key))?.response).toMatchObject({ event_id });
});

test('not even a broken clock fails an envelope after the commit point', async () => {
  let calls = 0;
  const clock = {
    now() {
      calls += 1;
      if (calls > 2) throw new Error('the clock stopped');
      return new Date(0);
    },
  };
  const { accept, events } = openHarness({ clock });
  const { event_id, validation } = await accept(op('a.md', rule('x')));
  expect(validation.warnings.join()).toContain('the clock stopped');
  expect((await events()).map(event => event.event_id)).toEqual([event_id]);
});

test('the log alone retells every document, whatever fails on the way', async () => {
  const step = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 30 }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), async (steps, faults) => {
      const store = createMemoryStore();
      let appends = 0;
      const events: EventStore = {
        ...store.events,
        append: async event => (faults[appends++ % faults.length] ? Promise.reject(down) : store.events.append(event)),
      };
      const { send, text, events: log } = openHarness({ store, adapt: () => ({ events }) });
      await Promise.all(
        steps.map(([kind, path, n]) => {
          const target = `${path}.md`;
          return send([op(target, rule(`${n}`)), patch(target, { n }), del(target), evt(target, n)][kind]);
        }),
      );
      for (const path of ['0.md', '1.md', '2.md']) {
        const last = (await log()).filter(event => event.subject === path && event.action !== 'event').at(-1);
        const stored = (await text(path)) === null ? null : (await store.vfs.read(path))?.hash;
        expect(stored).toBe(last?.after_hash ?? null);
      }
    }),
    { numRuns: 60 },
  );
});

test('a lease that is lost while a resource is prepared gives the resource back', async () => {
  const log: string[] = [];
  const store = createMemoryStore();
  const lease = await store.leases.acquire({ workspace_id: 'ws-a', target: 'c.md', principal_id: 'u1', operation_id: 'o' });
  const holder = { lease_id: lease.lease_id, principal_id: 'u1', operation_id: 'o' };
  const resources = countingResources(log);
  const prepare = async (request: Parameters<typeof resources.prepare>[0]) => {
    await store.leases.release('ws-a', 'c.md', holder);
    return resources.prepare(request);
  };
  const { code } = openHarness({ store, resources: { ...resources, prepare } });
  expect(await code(op('c.md', claim, { lease_id: lease.lease_id, operation_id: 'o' }), { principal: person })).toBe('lease_conflict');
  expect(log).toEqual(['prepare', 'reconcile(commit)']);
});
