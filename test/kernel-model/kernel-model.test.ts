import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IdempotencyStore } from '#adapter-contracts';
import { hashContent } from '#document';
import { createMemoryStore, type MemoryStore } from '#stores/memory';
import { fixedClock, type KernelHarness, listTexts, openHarness, person } from './kernel-harness.ts';
import { type Command, createModel, type Doc, type Expected, type Model, render } from './reference-model.ts';

const doc: fc.Arbitrary<Doc> = fc.record({
  type: fc.constantFrom('rule', 'rule', 'thread'),
  n: fc.integer({ min: 0, max: 2 }),
  body: fc.constantFrom('', 'x\n', 'y\n'),
});
const path = fc.constantFrom('a.md', 'b/c.md');
const command: fc.Arbitrary<Command> = fc.record({
  kind: fc.constantFrom('operation', 'operation', 'patch', 'patch', 'event', 'delete'),
  path,
  key: fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8'),
  who: fc.constantFrom('u1', 'u1', 'u1', 'u2'),
  capabilities: fc.constantFrom(['*:*'], ['*:*'], ['*:*'], ['ssss:rule:*'], ['ssss:thread:append', 'write:event'], []),
  doc,
  invalid: fc.integer({ max: 9, min: 0 }).map(n => n === 0),
  change: fc.record({ n: fc.integer({ min: 0, max: 2 }), body: fc.constantFrom('x\n', 'z\n') }, { requiredKeys: [] }),
  dryRun: fc.integer({ max: 5, min: 0 }).map(n => n === 0),
  expect: fc.constantFrom('anything', 'anything', 'anything', 'current', 'stale', 'absent'),
  fault: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'none', 'get', 'append', 'put'),
});
const step = fc.oneof(
  { weight: 12, arbitrary: command },
  { weight: 1, arbitrary: fc.record({ edit: path, doc: fc.option(doc) }) },
  { weight: 1, arbitrary: fc.constant('forget' as const) },
);
type Step = Command | { readonly edit: string; readonly doc: Doc | null } | 'forget';

/** A store whose next named call fails, and whose idempotency records can be lost. */
const breakable = (store: MemoryStore) => {
  const state = { fault: 'none', idempotency: createMemoryStore().idempotency };
  const guard = (name: string): void => {
    if (state.fault === name) throw new Error(`${name} failed`);
  };
  const idempotency: IdempotencyStore = {
    async get(workspaceId, key) {
      guard('get');
      return state.idempotency.get(workspaceId, key);
    },
    async put(workspaceId, key, record) {
      guard('put');
      return state.idempotency.put(workspaceId, key, record);
    },
  };
  const append: MemoryStore['events']['append'] = async event => {
    guard('append');
    return store.events.append(event);
  };
  return { state, adapters: { idempotency, events: { ...store.events, append } } };
};

const envelopeOf = ({ kind, path, key, doc, invalid, change, dryRun }: Command) => ({
  type: kind,
  workspace_id: 'ws-a',
  idempotency_key: key,
  path,
  dry_run: dryRun,
  ...(kind === 'operation' ? { content: render(doc, invalid) } : {}),
  ...(kind === 'patch'
    ? {
        patches: {
          ...(change.n === undefined ? {} : { count: change.n }),
          ...(change.body === undefined ? {} : { __body__: change.body }),
        },
      }
    : {}),
});

const ifMatchOf = (sent: Command, model: Model): { readonly ifMatch?: string | null } => {
  if (sent.kind === 'event' || sent.expect === 'anything') return {};
  if (sent.expect === 'absent') return { ifMatch: null };
  const now = model.docs.get(sent.path);
  return { ifMatch: sent.expect === 'current' && now !== undefined ? hashContent(render(now)) : hashContent('never stored') };
};

const answerOf = (response: Awaited<ReturnType<KernelHarness['send']>>, action: string): Expected => {
  if (!response.success) return { code: response.error.code };
  const answer = response.unchanged === true ? 'unchanged' : response.dry_run ? 'dry_run' : 'commit';
  expect(response.committed_at === null).toBe(answer !== 'commit');
  expect(response.event_id === undefined).toBe(answer !== 'commit');
  return { answer, replay: response.replay === true, action };
};

/** What the kernel draws for itself, and so differs from run to run. */
const chosenAtRandom = { event_id: '', operation_id: '', correlation_id: '' };

async function run(steps: readonly Step[]): Promise<string> {
  const model = createModel();
  const store = createMemoryStore();
  const { state, adapters } = breakable(store);
  const { send, edit, events } = openHarness({ store, clock: fixedClock(), adapt: () => adapters });
  for (const taken of steps) {
    if (taken === 'forget') {
      model.forget();
      state.idempotency = createMemoryStore().idempotency;
    } else if ('edit' in taken) {
      model.edit(taken.edit, taken.doc);
      await edit(taken.edit, taken.doc === null ? null : render(taken.doc));
    } else {
      const context = { principal: { ...person, id: taken.who, capabilities: taken.capabilities }, ...ifMatchOf(taken, model) };
      const expected = model.step(taken);
      state.fault = taken.fault;
      const response = await send(envelopeOf(taken), context);
      expect(answerOf(response, 'action' in expected ? expected.action : '')).toEqual(expected);
      state.fault = 'none';
    }
    const texts = Object.fromEntries([...model.docs].map(([at, stored]) => [at, render(stored)]));
    expect(await listTexts(store.vfs)).toEqual(texts);
  }
  const log = await events();
  expect(log.map(event => ({ action: event.action, subject: event.subject, key: event.idempotency_key }))).toEqual(model.log);
  return JSON.stringify([await listTexts(store.vfs), log.map(event => ({ ...event, ...chosenAtRandom }))]);
}

test('the kernel answers and stores what the reference model says, for any sequence of envelopes, edits and failures', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
      await run(steps);
    }),
    { numRuns: 300 },
  );
});

test('the same envelopes leave the same vault and the same history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async steps => {
      expect(await run(steps)).toBe(await run(steps));
    }),
    { numRuns: 40 },
  );
});
