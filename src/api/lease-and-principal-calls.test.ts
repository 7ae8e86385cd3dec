import { expect, test } from 'vitest';
import { fakeClock } from '#adapter-contracts/testing';
import { openMemoryVault } from '#open-vault';
import { runCall } from './call.ts';
import { type CallName, calls } from './calls/all-calls.ts';
import type { Vault } from './vault.ts';

const rule = '---\ntype: rule\nname: tone\ntitle: Tone\ndescription: How we write\ntimestamp: 2026-05-16T14:00:00Z\nslug: tone\n---\na\n';
const person = (id: string, ...capabilities: string[]) => ({
  id,
  kind: 'human' as const,
  workspaceIds: ['ws-memory'],
  capabilities,
  authentication: { provider: 'test', assurance: 'verified' },
});
const owner = person('owner', '*:*');

const run = async (vault: Vault, caller: unknown, name: CallName, input: unknown): Promise<Record<string, unknown>> => {
  const call = calls[name];
  const answer = await runCall(call as never, vault, { principal: caller }, input);
  return call.output.parse(answer) as Record<string, unknown>;
};

const vaultWithRule = async () => {
  const clock = fakeClock();
  const vault = await openMemoryVault({ clock });
  const envelope = { type: 'operation', workspace_id: 'ws-memory', idempotency_key: 'k', path: 'rules/a.md', content: rule };
  expect(await vault.execute(envelope, { principal: owner })).toMatchObject({ success: true });
  return { vault, clock };
};

test('a lease is acquired, renewed and released by its holder only', async () => {
  const { vault } = await vaultWithRule();
  const writer = person('w1', 'ssss:rule:patch');
  const lease = await run(vault, writer, 'lease.acquire', { target: 'rules/a.md', operation_id: 'op1', ttl_seconds: 60 });
  expect(lease).toMatchObject({ target: 'rules/a.md', principal_id: 'w1', operation_id: 'op1', workspace_id: 'ws-memory' });
  const held = { lease_id: lease.lease_id, operation_id: 'op1' };
  await expect(run(vault, owner, 'lease.acquire', { target: 'rules/a.md', operation_id: 'op2' })).rejects.toMatchObject({
    code: 'lease_conflict',
  });
  await expect(run(vault, owner, 'lease.renew', held)).rejects.toMatchObject({ code: 'lease_conflict' });
  await expect(run(vault, writer, 'lease.release', { ...held, operation_id: 'op2' })).rejects.toMatchObject({ code: 'lease_conflict' });
  expect(await run(vault, writer, 'lease.renew', { ...held, ttl_seconds: 120 })).toMatchObject({ lease_id: lease.lease_id });
  expect(await run(vault, writer, 'lease.release', held)).toEqual({ lease_id: lease.lease_id, target: 'rules/a.md', released: true });
  await expect(run(vault, writer, 'lease.release', held)).rejects.toMatchObject({ code: 'lease_conflict' });
});

test('acquiring needs the right to patch the target, or to create something where nothing is', async () => {
  const { vault } = await vaultWithRule();
  const acquire = (caller: unknown, target: string) => run(vault, caller, 'lease.acquire', { target, operation_id: 'op' });
  await expect(acquire(person('r', 'ssss:rule:read'), 'rules/a.md')).rejects.toMatchObject({
    code: 'forbidden',
    details: { missing: ['ssss:rule:patch'] },
  });
  await expect(acquire(person('r', 'ssss:rule:read'), 'rules/new.md')).rejects.toMatchObject({ code: 'forbidden' });
  expect(await acquire(person('c', 'ssss:memory:create'), 'rules/new.md')).toMatchObject({ target: 'rules/new.md' });
  await expect(acquire(owner, '../x.md')).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(acquire(owner, 'notes.txt')).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a principal holds at most 50 live leases; expired ones do not count', async () => {
  const { vault, clock } = await vaultWithRule();
  const acquire = (i: number) => run(vault, owner, 'lease.acquire', { target: `tasks/t${i}.md`, operation_id: 'op', ttl_seconds: 60 });
  for (let i = 0; i < 50; i++) await acquire(i);
  await expect(acquire(50)).rejects.toThrow(/50 live leases/);
  expect((await run(vault, owner, 'lease.list', {})).leases).toHaveLength(50);
  expect(await run(vault, person('other', '*:*'), 'lease.acquire', { target: 'tasks/t50.md', operation_id: 'op' })).toMatchObject({
    principal_id: 'other',
  });
  clock.advance(61_000);
  await acquire(51);
});

test('a caller who may not read everything sees only its own leases', async () => {
  const { vault } = await vaultWithRule();
  await run(vault, owner, 'lease.acquire', { target: 'rules/a.md', operation_id: 'op' });
  expect(await run(vault, person('w', 'ssss:memory:*'), 'lease.list', {})).toEqual({ leases: [] });
  expect((await run(vault, person('all', '*:*'), 'lease.list', {})).leases).toHaveLength(1);
});

test('principals are admitted, listed, given new tokens and revoked with admin:principal', async () => {
  const { vault } = await vaultWithRule();
  const admin = person('admin', 'admin:principal', 'ssss:memory:*');
  const added = await run(vault, admin, 'principal.add', { id: 'agent:c', kind: 'agent', capabilities: ['ssss:memory:read'] });
  expect(await vault.principals.verifyToken(added.token as string, 'ws-memory')).toMatchObject({ id: 'agent:c', kind: 'agent' });
  expect(await run(vault, admin, 'principal.list', {})).toMatchObject({ principals: [{ id: 'agent:c', revoked_at: null }] });
  const renewed = await run(vault, admin, 'principal.token', { id: 'agent:c' });
  expect(await vault.principals.verifyToken(added.token as string, 'ws-memory')).toBeNull();
  expect(await run(vault, admin, 'principal.revoke', { id: 'agent:c' })).toMatchObject({ revoked_at: expect.any(String) });
  expect(await vault.principals.verifyToken(renewed.token as string, 'ws-memory')).toBeNull();
  for (const [name, input] of [
    ['principal.add', { id: 'x', kind: 'agent', capabilities: [] }],
    ['principal.list', {}],
    ['principal.revoke', { id: 'agent:c' }],
    ['principal.token', { id: 'agent:c' }],
  ] as const) {
    await expect(run(vault, person('u', 'ssss:*'), name, input)).rejects.toMatchObject({ code: 'forbidden' });
  }
});

test('nobody grants more than they hold, neither anew nor by taking the token of somebody stronger', async () => {
  const { vault } = await vaultWithRule();
  const admin = person('admin', 'admin:principal', 'ssss:memory:*');
  await expect(run(vault, admin, 'principal.add', { id: 'x', kind: 'agent', capabilities: ['*:*'] })).rejects.toMatchObject({
    code: 'forbidden',
    details: { missing: ['*:*'] },
  });
  await run(vault, owner, 'principal.add', { id: 'strong', kind: 'service', capabilities: ['ssss:*'] });
  await expect(run(vault, admin, 'principal.token', { id: 'strong' })).rejects.toMatchObject({ code: 'forbidden' });
  await expect(run(vault, owner, 'principal.add', { id: 'x', kind: 'system', capabilities: [] })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('an agent makes nobody of another kind: neither a person anew, nor by taking the token of one', async () => {
  const { vault } = await vaultWithRule();
  const agent = { ...person('bot', 'admin:principal', 'ssss:*'), kind: 'agent' as const };
  await run(vault, owner, 'principal.add', { id: 'anna', kind: 'human', capabilities: ['ssss:rule:*'] });
  for (const kind of ['human', 'service'])
    await expect(run(vault, agent, 'principal.add', { id: 'puppet', kind, capabilities: [] })).rejects.toThrow(/Only a person/);
  await expect(run(vault, agent, 'principal.token', { id: 'anna' })).rejects.toThrow(/Only a person/);
  expect(await run(vault, agent, 'principal.add', { id: 'helper', kind: 'agent', capabilities: ['ssss:rule:*'] })).toMatchObject({
    id: 'helper',
  });
  expect(await run(vault, agent, 'principal.token', { id: 'helper' })).toMatchObject({ id: 'helper' });
});

test('a survey of the whole vault needs the right to read all of it; adopting and recovering their own', async () => {
  const { vault } = await vaultWithRule();
  const part = person('part', 'ssss:rule:*', 'admin:adopt');
  for (const name of ['vault.status', 'vault.check'] as const) {
    await expect(run(vault, part, name, {})).rejects.toMatchObject({ code: 'forbidden' });
    await expect(run(vault, person('core', 'ssss:*'), name, {})).resolves.toMatchObject({ files: { found: 1 } });
  }
  expect(await run(vault, part, 'vault.adopt', {})).toEqual({ results: [] });
  await expect(run(vault, person('x', 'ssss:*'), 'vault.adopt', {})).rejects.toMatchObject({ details: { missing: ['admin:adopt'] } });
  await expect(run(vault, part, 'vault.recover', {})).rejects.toMatchObject({ details: { missing: ['admin:recover'] } });
  expect(await run(vault, owner, 'vault.recover', {})).toEqual({ outcomes: [], in_flight: [], unreadable: 0 });
});

test('the registry is shown whole or by one type, under any of its names', async () => {
  const { vault } = await vaultWithRule();
  expect(await run(vault, person('x'), 'registry.show', {})).toMatchObject({ document_types: { length: 20 } });
  expect(await run(vault, person('x'), 'registry.show', { type: 'ssss:rule' })).toMatchObject({
    document_types: [{ qualified: 'ssss:rule' }],
  });
  await expect(run(vault, owner, 'registry.show', { type: 'nonsense' })).rejects.toThrow(/Unknown type/);
  await expect(run(vault, owner, 'registry.lock', {})).rejects.toThrow(/lives in memory/);
  for (const [name, input] of [
    ['registry.lock', {}],
    ['primitive.activate', { path: 'primitives/a/b.md' }],
  ] as const) {
    await expect(run(vault, person('u', 'ssss:*'), name, input)).rejects.toMatchObject({ details: { missing: ['admin:registry'] } });
    await expect(run(vault, { ...owner, kind: 'agent' }, name, input)).rejects.toThrow(/Only a person/);
  }
});
