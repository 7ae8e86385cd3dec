import type { Principal } from '#adapter-contracts';
import { errorCodes } from '#errors';
import { createKernel, type KernelResponse } from '#kernel';
import { createAuthorizer, defaultPolicy } from '#policy';
import { loadCoreRegistry } from '#registry';
import { createMemoryStore, type MemoryStore } from '#stores/memory';
import { expand, type Grammar } from '../engine/grammar.ts';
import { type FuzzTarget, law, outcome } from '../engine/target.ts';
import { jsonGrammar, jsonTokens } from './json-grammar.ts';

/** Envelopes with members of every kind in every place. */
const grammar: Grammar = {
  ...jsonGrammar,
  envelope: [
    '{<type>,<base>,<content>}',
    '{<type>,<base>,<patches>}',
    '{<type>,<base>,<extras>}',
    '{<type>,<base>,<content>,<extras>}',
    '{<extras>}',
    '<json>',
  ],
  type: [
    '"type":"operation"',
    '"type":"patch"',
    '"type":"event"',
    '"type":"delete"',
    '"type":<value>',
    '"type":"OPERATION"',
    '"typ":"patch"',
  ],
  base: [
    '"workspace_id":"ws-a","idempotency_key":"k","path":<path>',
    '"workspace_id":"ws-a","idempotency_key":<odd>,"path":"a.md"',
    '"workspace_id":<odd>,"idempotency_key":"k","path":"a.md"',
    '"path":"a.md"',
  ],
  odd: ['"k"', '<value>', '""', '"\\ud800"', 'null'],
  path: ['"a.md"', '"b.md"', '"index.md"', '"../x.md"', '".ssss/x.md"', '"a"', '""', '<value>', '"orders/a"', '"thread.md"'],
  content: ['"content":<document>', '"content":<value>', '"content":"{\\"event_type\\":\\"x\\"}"', '"content":"[[[["', '"content":null'],
  document: [
    '"---\\ntype: rule\\ntitle: T\\ndescription: D\\ntimestamp: 2026-01-01T00:00:00Z\\nname: r\\n---\\nB\\n"',
    '"---\\ntype: rule\\n---\\n"',
    '"---\\ntype: [rule]\\n---\\n"',
    '"text"',
    '"---\\n__proto__:\\n  type: rule\\n---\\n"',
    '"---\\ntype: rule\\ntype: skill\\n---\\n"',
  ],
  patches: [
    '"patches":{"name":"n"}',
    '"patches":<value>',
    '"patches":{<member>,"__body__":<value>}',
    '"patches":{"type":"skill"}',
    '"patches":{"x: 1\\ntype":"y"}',
    '"patches":{"name":<value>}',
    '"patches":{"constructor":<value>}',
  ],
  extras: ['<extra>', '<extra>,<extra>'],
  extra: [
    '"dry_run":true',
    '"dry_run":<value>',
    '"intent":<value>',
    '"lease_id":<odd>',
    '"operation_id":<odd>',
    '"primitive_type":<odd>',
    '"primitive_type":"rule"',
    '"actor":{"role":"system"}',
    '"principal":<value>',
    '"__proto__":{"type":"operation"}',
    '"patches":<value>',
    '"content":<value>',
  ],
};

const person: Principal = {
  id: 'u1',
  kind: 'human',
  workspaceIds: ['ws-a'],
  capabilities: ['*:*'],
  authentication: { provider: 't', assurance: 'verified' },
};
const clock = { now: () => new Date('2026-01-01T00:00:00Z') };
const registry = loadCoreRegistry();

/** Sends one envelope to a kernel on a store; the proofs that the laws can fail put a broken one in its place. */
export type Execute = (store: MemoryStore, envelope: unknown) => Promise<KernelResponse>;

export const execute: Execute = (store, envelope) =>
  createKernel({ workspaces: { 'ws-a': store }, registry, clock, authorizer: createAuthorizer({ policy: defaultPolicy }) }).execute(
    envelope,
    { principal: person },
  );

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value);
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members that are malformed whatever the type (§6.1), by the rules and not by the code. */
const malformed = (envelope: unknown): readonly string[] => {
  if (!isObject(envelope)) return ['envelope'];
  const own = (name: string): unknown => (Object.hasOwn(envelope, name) ? envelope[name] : undefined);
  const optional = (name: string): boolean => own(name) !== undefined && own(name) !== null && !isText(own(name));
  const { type } = { type: own('type') };
  return [
    ...(['operation', 'patch', 'event', 'delete'].includes(type as string) ? [] : ['type']),
    ...['workspace_id', 'idempotency_key', 'path'].filter(name => !isText(own(name))),
    ...['primitive_type', 'operation_id', 'lease_id'].filter(optional),
    ...(type === 'operation' && (typeof own('content') !== 'string' || /\p{Surrogate}/u.test(own('content') as string)) ? ['content'] : []),
    ...(type === 'event' &&
    own('content') !== undefined &&
    (typeof own('content') !== 'string' || 'thrown' in outcome(() => JSON.parse(own('content') as string)))
      ? ['content']
      : []),
    ...(type === 'patch' && !isObject(own('patches')) ? ['patches'] : []),
    ...([undefined, null, true, false].includes(own('dry_run') as null) ? [] : ['dry_run']),
  ];
};

const rulesText = '---\ntype: rule\ntitle: T\ndescription: D\ntimestamp: 2026-01-01T00:00:00Z\nname: r\n---\nBody\n';

const openStore = async (): Promise<MemoryStore> => {
  const store = createMemoryStore({ clock });
  await store.vfs.writeAtomic('a.md', Buffer.from(rulesText), { ifAbsent: true });
  return store;
};

const contents = async ({ vfs, events }: MemoryStore): Promise<string> => {
  const found: unknown[] = [];
  for await (const { path } of vfs.list()) found.push([path, Buffer.from((await vfs.read(path))?.bytes ?? []).toString()]);
  for await (const { event } of events.replay()) found.push(event.event_id);
  return JSON.stringify(found);
};

const checkFailure = (envelope: unknown, response: KernelResponse & { success: false }): void => {
  const { error, repair, validation } = response;
  law(Object.hasOwn(errorCodes, error.code) && error.message !== '', 'a failure has one of the nine codes and a message', error);
  law(
    repair.field_errors.every(({ field, issue }) => field !== '' && issue !== ''),
    'each issue names a field',
    repair,
  );
  law(validation.errors.length === repair.field_errors.length, 'each issue is told once', validation);
  const named = repair.field_errors.map(({ field }) => field.split(/[.[]/)[0]);
  const expected = malformed(envelope);
  law(error.code !== 'internal_error', 'no envelope is an internal error', error);
  law(expected.length === 0 || error.code === 'invalid_request', 'a malformed envelope is a bad request', { error, expected });
  for (const member of expected) law(named.includes(member), 'a malformed member is named', { member, named });
};

/** The kernel's first stages: any JSON value gets an answer, a refusal names the member and leaves no trace. */
export const createEnvelopeTarget = (run: Execute = execute): FuzzTarget => ({
  name: 'envelope',
  generate: random => expand(grammar, 'envelope', random, 7),
  tokens: [
    ...jsonTokens,
    '"type":"patch"',
    '"patches":{}',
    '"content":"{}"',
    '"path":"a.md"',
    '"dry_run":true',
    '"__body__":"x"',
    '"path":"../a.md"',
  ],
  executions: 2000,
  guidedBy: /\/src\/kernel\/(?!.*\.test\.)/,
  async check(input) {
    const read = outcome(() => JSON.parse(input.toString('utf8')) as unknown);
    if ('thrown' in read) return;
    const store = await openStore();
    const before = await contents(store);
    const sent = JSON.stringify(read.value);
    const response = await run(store, read.value);
    law(JSON.stringify(read.value) === sent, 'the envelope is left as it was');
    law(JSON.stringify(JSON.parse(JSON.stringify(response))) === JSON.stringify(response), 'the answer is JSON');
    if (!response.success) {
      law((await contents(store)) === before, 'a refusal leaves no trace', response.error);
      return checkFailure(read.value, response);
    }
    law(malformed(read.value).length === 0, 'a malformed envelope is refused', malformed(read.value));
    law((response.event_id === undefined) === ((await contents(store)) === before), 'what is committed is an event', response);
    const again = await run(store, read.value);
    law(again.success && again.event_id === response.event_id, 'the same envelope is answered by the same event', again);
  },
});
