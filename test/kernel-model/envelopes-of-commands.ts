// Commands of the reference model as envelopes of the contract, and answers of the kernel in the model's words.
import fc from 'fast-check';
import type { KernelResponse } from '#kernel';
import { type Command, type Doc, type Expected, render } from './reference-model.ts';

export const operationOf = (who: string): string => `op-${who}`;

export const envelopeOf = ({ kind, path, key, who, doc, invalid, change, dryRun, lease }: Command) => ({
  type: kind,
  workspace_id: 'ws-a',
  idempotency_key: key,
  path,
  dry_run: dryRun,
  operation_id: operationOf(who),
  ...(lease === undefined ? {} : { lease_id: lease }),
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

/** `positionOf` an event id in the log; the model names events by it. */
export const answerOf = (response: KernelResponse, positionOf: (eventId: string) => number): Expected => {
  if (!response.success) return { code: response.error.code };
  const answer = response.unchanged === true ? 'unchanged' : response.dry_run ? 'dry_run' : 'commit';
  if ((response.committed_at === null) !== (answer !== 'commit')) throw new Error(`committed_at of ${JSON.stringify(response)}`);
  if ((response.event_id === undefined) !== (answer !== 'commit')) throw new Error(`event_id of ${JSON.stringify(response)}`);
  const event = response.event_id === undefined ? -1 : positionOf(response.event_id);
  return { answer, replay: response.replay === true, event };
};

export const anyDoc: fc.Arbitrary<Doc> = fc.record({
  type: fc.constantFrom('rule', 'rule', 'thread', 'claim'),
  n: fc.integer({ min: 0, max: 2 }),
  body: fc.constantFrom('', 'x\n', 'y\n'),
});

const rarely = (outOf: number): fc.Arbitrary<boolean> => fc.integer({ min: 0, max: outOf - 1 }).map(n => n === 0);

/** A command but for what depends on the state it meets: the expected version and the lease. */
export const anyCommand = (paths: readonly string[], keys: readonly string[], who: readonly string[]) =>
  fc.record({
    kind: fc.constantFrom('operation', 'operation', 'patch', 'patch', 'event', 'delete'),
    path: fc.constantFrom(...paths),
    key: fc.constantFrom(...keys),
    who: fc.constantFrom(...who),
    capabilities: fc.constantFrom(
      ['*:*'],
      ['*:*'],
      ['*:*'],
      ['ssss:rule:*'],
      ['ssss:rule:create'],
      ['ssss:thread:append', 'write:event'],
      ['field:*'],
      [],
    ),
    doc: anyDoc,
    invalid: rarely(10),
    change: fc.record({ n: fc.integer({ min: 0, max: 2 }), body: fc.constantFrom('x\n', 'z\n') }, { requiredKeys: [] }),
    dryRun: rarely(6),
  });

export const seed = Number(process.env.SHEAF_SEED ?? (process.env.SHEAF_SOAK ? Date.now() % 1_000_000_000 : 20_260_516));

/** Ten times what the slowest test takes on an idle machine; the long run may take as long as it likes. */
export const patience = { timeout: process.env.SHEAF_SOAK ? 3_600_000 : 120_000 };

/** How many runs of a property: a few where every change is tested, many where the long run is the point. */
export const runs = (usually: number): { readonly numRuns: number; readonly seed: number } => ({
  numRuns: process.env.SHEAF_SOAK ? usually * 40 : usually,
  seed,
});
