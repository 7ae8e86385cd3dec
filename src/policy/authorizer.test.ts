import { expect, test } from 'vitest';
import type { AuthorizationRequest, Principal } from '#adapter-contracts';
import { loadCoreRegistry } from '#registry';
import { createAuthorizer, defaultPolicy, type Policy, parsePolicy } from './index.ts';

const core = loadCoreRegistry();
const person: Principal = {
  id: 'u1',
  kind: 'human',
  workspaceIds: ['ws'],
  capabilities: ['*:*'],
  authentication: { provider: 'os', assurance: 'verified' },
};
const agent: Principal = { ...person, id: 'agent-1', kind: 'agent' };
const system: Principal = { ...person, id: 'importer', kind: 'system', capabilities: [] };
const runtime: Principal = { ...person, id: 'sheaf:runtime', kind: 'service' };

function request(changes: Partial<AuthorizationRequest> = {}, type = 'rule'): AuthorizationRequest {
  return {
    principal: person,
    workspaceId: 'ws',
    definition: core.resolve(type),
    primitiveId: `ssss:${type}`,
    action: 'create',
    path: 'rules/a.md',
    idempotencyKey: 'k1',
    requestHash: 'sha256:1',
    proposed: {},
    payload: null,
    ...changes,
  };
}
const event = (payload: unknown, changes: Partial<AuthorizationRequest> = {}): AuthorizationRequest =>
  request({ definition: null, primitiveId: 'ssss:event', action: 'event', proposed: null, payload, ...changes });
const decide = (asked: AuthorizationRequest, policy: Policy = defaultPolicy) => createAuthorizer({ policy }).authorize(asked);
const withCapabilities = (principal: Principal, ...capabilities: string[]): Principal => ({ ...principal, capabilities });
const policyOf = (file: object): Policy => parsePolicy(JSON.stringify(file), 'policy.json', core);

test('a principal with the capability may; without it the refusal names what is missing', async () => {
  expect(await decide(request())).toEqual({ allowed: true });
  const verdict = await decide(request({ principal: withCapabilities(person, 'ssss:rule:replace') }));
  expect(verdict).toMatchObject({ allowed: false, missing: ['ssss:rule:create'] });
  expect(verdict.reason).toMatch(/'u1' lacks ssss:rule:create/);
});

test('a system principal bypasses capabilities and floors', async () => {
  expect(await decide(request({ principal: system }))).toEqual({ allowed: true });
  expect(await decide(request({ principal: system, proposed: { permissions: ['*:*'] } }, 'role'))).toEqual({ allowed: true });
  const strict = policyOf({ floors: [{ capabilities: ['govern:all'] }], step_up: [{ assurance: 'strong' }], confirm: [{}] });
  expect(await decide(request({ principal: system }), strict)).toEqual({ allowed: true });
});

test.each(['runtime', 'runtime-task-1', 'prov-1', 'adopt-1', 'undo-1', 'hub:1'])(
  'the key %s belongs to the host itself',
  async idempotencyKey => {
    for (const principal of [person, agent, { ...runtime, kind: 'agent' as const }, { ...runtime, id: 'sheaf:runtime2' }]) {
      expect(await decide(request({ principal, idempotencyKey }))).toMatchObject({
        allowed: false,
        reason: expect.stringContaining('reserved for the host'),
      });
    }
    for (const principal of [system, runtime]) expect(await decide(request({ principal, idempotencyKey }))).toEqual({ allowed: true });
  },
);

test.each(['hub.opened', 'ssss.runtime.x', 'workflow_triggered', 'proposal_approved', 'document_adopted'])(
  'the event type %s is recorded by the host alone',
  async event_type => {
    for (const principal of [person, agent]) {
      expect(await decide(event({ event_type }, { principal }))).toMatchObject({
        allowed: false,
        reason: expect.stringContaining(`'${event_type}'`),
      });
    }
    for (const principal of [system, runtime]) expect(await decide(event({ event_type }, { principal }))).toEqual({ allowed: true });
  },
);

test('other keys, event types and payloads are free', async () => {
  for (const payload of [null, 'workflow_x', 5, [], { event_type: 5 }, { event_type: 'order_placed' }, { type: 'document_adopted' }]) {
    expect(await decide(event(payload))).toEqual({ allowed: true });
  }
  for (const idempotencyKey of ['my-runtime', 'provision', 'adopted', 'hub'])
    expect(await decide(request({ idempotencyKey }))).toEqual({ allowed: true });
  // A document that happens to carry the member is no event.
  expect(await decide(request({ payload: { event_type: 'document_adopted' } }))).toEqual({ allowed: true });
});

test('the local person may adopt a hand edit when the host is adopting, with admin:adopt', async () => {
  const adoption = { idempotencyKey: 'adopt-1', hostAction: 'adopt' } as const;
  const adopted = { event_type: 'document_adopted', action: 'replace' };
  expect(await decide(event(adopted, adoption))).toEqual({ allowed: true });
  const writer = withCapabilities(person, 'write:event');
  expect(await decide(event(adopted, { ...adoption, principal: writer }))).toMatchObject({ allowed: false, missing: ['admin:adopt'] });
  const adopter = withCapabilities(person, 'write:event', 'admin:*');
  expect(await decide(event(adopted, { ...adoption, principal: adopter }))).toEqual({ allowed: true });
  expect(await decide(event(adopted, { ...adoption, principal: withCapabilities(person, 'admin:adopt') }))).toMatchObject({
    missing: ['write:event'],
  });
});

test('the receipt of a webhook may be recorded by the host alone, and opens nothing else', async () => {
  const hostAction = 'webhook' as const;
  const receipt = event({ event_type: 'workflow_webhook_received' }, { hostAction, idempotencyKey: 'runtime-hook-1' });
  expect(await decide(receipt)).toMatchObject({ allowed: true });
  for (const refused of [
    event({ event_type: 'workflow_webhook_received' }, { idempotencyKey: 'k' }),
    event({ event_type: 'workflow_webhook_received' }, { hostAction, idempotencyKey: 'runtime-task-1' }),
    event({ event_type: 'workflow_triggered' }, { hostAction, idempotencyKey: 'runtime-hook-1' }),
    event({ event_type: 'order_paid' }, { hostAction, idempotencyKey: 'runtime-hook-1' }),
    request({ hostAction, idempotencyKey: 'runtime-hook-1' }),
  ])
    expect(await decide(refused)).toMatchObject({ allowed: false });
});

test('adopting opens nothing else: other keys, other events and documents stay reserved', async () => {
  const hostAction = 'adopt' as const;
  expect(await decide(event({ event_type: 'document_adopted' }, { hostAction, idempotencyKey: 'prov-1' }))).toMatchObject({
    allowed: false,
  });
  expect(await decide(event({ event_type: 'workflow_triggered' }, { hostAction, idempotencyKey: 'adopt-1' }))).toMatchObject({
    allowed: false,
  });
  expect(await decide(request({ hostAction, idempotencyKey: 'adopt-1' }))).toMatchObject({ allowed: false });
});

test.each(['role', 'security_role'])('an agent or service that writes a %s needs govern:role; a person does not', async type => {
  const rights = ['ssss:*'];
  for (const principal of [withCapabilities(agent, ...rights), withCapabilities({ ...agent, kind: 'service' }, ...rights)]) {
    for (const action of ['create', 'replace', 'patch', 'delete'] as const) {
      const proposed = action === 'delete' ? null : {};
      expect(await decide(request({ principal, action, proposed }, type))).toMatchObject({ allowed: false, missing: ['govern:role'] });
    }
    expect(await decide(request({ principal: withCapabilities(principal, ...rights, 'govern:role') }, type))).toEqual({ allowed: true });
  }
  expect(await decide(request({ principal: withCapabilities(person, ...rights) }, type))).toEqual({ allowed: true });
});

test.each<[unknown, readonly string[]]>([
  [['ssss:rule:create'], []],
  [['ssss:rule:*', 'ssss:*', 'write:event'], []],
  [[], []],
  [null, []],
  [['*:*'], ['*:*']],
  [['acme:*'], ['acme:*']],
  [['write:*'], ['*:*']],
  [['write:rule'], ['*:*']],
  [['*:rule'], ['*:*']],
  [['ssss:rule:create', 'admin:adopt'], ['admin:adopt']],
  ['*:*', ['*:*']],
  [[5], ['*:*']],
  [{ a: 1 }, ['*:*']],
])('a holder of ssss:* and write:event may write a role that grants %j, lacking %j', async (permissions, missing) => {
  const principal = withCapabilities(person, 'ssss:*', 'write:event');
  const verdict = await decide(request({ principal, proposed: { permissions } }, 'role'));
  expect(verdict.allowed).toBe(missing.length === 0);
  expect(verdict.missing ?? []).toEqual(missing);
});

test('whoever holds everything may write any role', async () => {
  expect(await decide(request({ proposed: { permissions: ['*:*', 'write:*', '*:rule'] } }, 'role'))).toEqual({ allowed: true });
});

test('a floor adds a capability where all of its selectors hold, and never grants one', async () => {
  const policy = policyOf({
    floors: [
      {
        types: ['skill', 'ssss:workflow'],
        actions: ['create'],
        paths: ['shared/**'],
        kinds: ['agent'],
        capabilities: ['govern:behaviour'],
      },
    ],
  });
  const principal = withCapabilities(agent, 'ssss:*');
  const hit = { principal, path: 'shared/x/SKILL.md' };
  expect(await decide(request(hit, 'skill'), policy)).toMatchObject({ allowed: false, missing: ['govern:behaviour'] });
  expect(await decide(request(hit, 'workflow'), policy)).toMatchObject({ missing: ['govern:behaviour'] });
  for (const miss of [
    { ...hit, action: 'patch' as const },
    { ...hit, path: 'own/SKILL.md' },
    { ...hit, principal: withCapabilities(person, 'ssss:*') },
  ]) {
    expect(await decide(request(miss, 'skill'), policy)).toEqual({ allowed: true });
  }
  expect(await decide(request(hit, 'rule'), policy)).toEqual({ allowed: true });
  const onlyFloor = withCapabilities(agent, 'govern:behaviour');
  expect(await decide(request({ ...hit, principal: onlyFloor }, 'skill'), policy)).toMatchObject({ missing: ['ssss:skill:create'] });
});

test('a namespace selector holds for every type of the namespace', async () => {
  const policy = policyOf({ floors: [{ types: ['ssss:*'], capabilities: ['govern:all'] }] });
  expect(await decide(request({ principal: withCapabilities(person, 'ssss:*') }), policy)).toMatchObject({ missing: ['govern:all'] });
});

test.each([
  [undefined, 'verified', false],
  ['none', 'verified', false],
  ['verified', 'verified', true],
  ['strong', 'verified', true],
  ['verified', 'strong', false],
  ['Strong', 'strong', false],
  ['passkey', 'verified', false],
  [undefined, 'none', true],
] as const)('an assurance of %s where %s is needed: %s', async (has, assurance, allowed) => {
  const authentication = has === undefined ? { provider: 'os' } : { provider: 'os', assurance: has };
  const verdict = await decide(request({ principal: { ...person, authentication } }), policyOf({ step_up: [{ assurance }] }));
  expect(verdict.allowed).toBe(allowed);
  if (!allowed) expect(verdict.reason).toContain(`assurance '${assurance}'`);
});

test('confirmation takes a person and the hash of exactly this request', async () => {
  const policy = policyOf({ confirm: [{ actions: ['delete'] }] });
  const removal = { action: 'delete', proposed: null } as const;
  const unconfirmed = await decide(request(removal), policy);
  expect(unconfirmed).toMatchObject({ allowed: false, reason: expect.stringContaining('sha256:1') });
  expect(unconfirmed.reason).toContain('--confirm');
  expect(await decide(request({ ...removal, confirmation: 'sha256:2' }), policy)).toMatchObject({ allowed: false });
  expect(await decide(request({ ...removal, confirmation: 'sha256:1' }), policy)).toEqual({ allowed: true });
  const byAgent = await decide(request({ ...removal, principal: agent, confirmation: 'sha256:1' }), policy);
  expect(byAgent).toMatchObject({ allowed: false, reason: expect.stringContaining("kind 'agent'") });
  expect(await decide(request(), policy)).toEqual({ allowed: true });
});

test('every reason is given at once', async () => {
  const policy = policyOf({ step_up: [{ assurance: 'strong' }], confirm: [{}] });
  const verdict = await decide(request({ principal: withCapabilities(person), idempotencyKey: 'hub:1' }), policy);
  for (const part of ['hub:', 'ssss:rule:create', "'strong'", '--confirm']) expect(verdict.reason).toContain(part);
});

test('a memory that a pending conflict names stays out of status active', async () => {
  const pendingConflict = (_workspace: string, slug: string) => Promise.resolve(slug === 'new' ? 'conflicts/c1.md' : null);
  const ask = (proposed: Record<string, unknown> | null, type = 'memory', principal = person) =>
    createAuthorizer({ policy: defaultPolicy, pendingConflict }).authorize(request({ proposed, principal }, type));
  for (const principal of [person, system]) {
    expect(await ask({ slug: 'new', status: 'active' }, 'memory', principal)).toMatchObject({
      allowed: false,
      reason: expect.stringContaining('conflicts/c1.md'),
    });
  }
  expect(await ask({ slug: 'new', status: 'draft' })).toEqual({ allowed: true });
  expect(await ask({ slug: 'other', status: 'active' })).toEqual({ allowed: true });
  expect(await ask({ slug: 'new', status: 'active' }, 'trigger')).toEqual({ allowed: true });
  expect(await ask(null)).toEqual({ allowed: true });
});

const signedIn = (provider: string, assurance = 'verified', kind: Principal['kind'] = 'human'): Principal => ({
  ...person,
  kind,
  authentication: { provider, assurance },
});
const governed = ['role', 'security_role', 'model', 'primitive', 'migration', 'release'];

test.each(governed)('through a server a %s is written only by a person who is there and confirms the request', async type => {
  for (const action of ['create', 'replace', 'patch', 'delete'] as const) {
    const ask = (principal: Principal, more: object = {}) => decide(request({ principal, action, ...more }, type));
    for (const stranger of [
      signedIn('token'),
      signedIn('oidc'),
      signedIn('token', 'verified', 'agent'),
      signedIn('session', 'verified', 'agent'),
      signedIn('oidc', 'strong', 'service'),
      signedIn('mcp-stdio', 'none', 'agent'),
    ])
      expect(await ask(stranger, { confirmation: 'sha256:1' })).toMatchObject({
        allowed: false,
        reason: expect.stringContaining('a person changes it'),
      });
    for (const there of [signedIn('session'), signedIn('oidc', 'strong')]) {
      expect(await ask(there)).toMatchObject({ allowed: false, reason: expect.stringContaining('Sheaf-Confirm: sha256:1') });
      expect(await ask(there, { confirmation: 'sha256:2' })).toMatchObject({ allowed: false });
      expect(await ask(there, { confirmation: 'sha256:1' })).toEqual({ allowed: true });
    }
    expect(await ask(person)).toEqual({ allowed: true });
  }
});

test('other documents ask a stored token for nothing more, and the confirmation is asked for once', async () => {
  expect(await decide(request({ principal: signedIn('token') }))).toEqual({ allowed: true });
  const strict = policyOf({ confirm: [{}] });
  const { reason = '' } = await decide(request({ principal: signedIn('session') }, 'role'), strict);
  expect(reason.match(/needs your confirmation/g)).toHaveLength(1);
});
