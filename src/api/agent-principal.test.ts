import { expect, onTestFinished, test } from 'vitest';
import { openMemoryVault } from '#open-vault';
import { capabilityCovers, withoutGovernance } from '#policy';
import { localAgentPrincipal, namedAgentPrincipal } from './agent-principal.ts';
import type { Vault } from './vault.ts';

const extension = {
  registry: 'acme',
  version: '1.0.0',
  primitives: {
    note: { portability: 'structural' },
    ledger: { portability: 'tenant_private', capabilities: { create: ['acme:post'] } },
    trap: { portability: 'structural', capabilities: { read: ['*:*'], create: ['admin:principal', 'ssss:role:create'] } },
  },
};

const openWithExtension = async (): Promise<Vault> => {
  const vault = await openMemoryVault({ extensions: [extension] });
  onTestFinished(() => vault.close());
  return vault;
};

const holds = (granted: readonly string[], capability: string): boolean => granted.some(grant => capabilityCovers(grant, capability));

const governing = [
  '*:*',
  'ssss:role:create',
  'ssss:security_role:replace',
  'ssss:model:patch',
  'ssss:primitive:create',
  'ssss:migration:create',
  'ssss:release:delete',
  'admin:principal',
  'admin:registry',
  'govern:role',
  'app:approve',
];

test('a local agent reads structural types, writes its own work and events, and governs nothing', async () => {
  const vault = await openWithExtension();
  const principal = await localAgentPrincipal(vault, 'Claude Code');
  expect(principal).toMatchObject({ id: 'agent:Claude-Code', kind: 'agent', authentication: { provider: 'mcp-stdio', assurance: 'none' } });
  const { capabilities = [] } = principal ?? {};
  for (const type of ['memory', 'task', 'run', 'thread', 'page']) {
    for (const action of ['create', 'replace', 'patch', 'append', 'delete'])
      expect(holds(capabilities, `ssss:${type}:${action}`)).toBe(true);
  }
  expect(['ssss:rule:read', 'ssss:role:read', 'acme:note:read', 'write:event'].every(one => holds(capabilities, one))).toBe(true);
  const others = [
    'ssss:task:read',
    'ssss:thread:read',
    'acme:ledger:read',
    'read:event',
    'ssss:rule:patch',
    'acme:note:create',
    ...governing,
  ];
  expect(others.filter(one => holds(capabilities, one))).toEqual([]);
});

test.each([
  ['', 'agent:unnamed'],
  [null, 'agent:unnamed'],
  ['../../x y\u202e', 'agent:..-..-x-y'],
  ['x'.repeat(500), `agent:${'x'.repeat(64)}`],
  ['local:ada', 'agent:local-ada'],
])('the client name %j becomes the id %s', async (name, id) => {
  expect((await localAgentPrincipal(await openWithExtension(), name))?.id).toBe(id);
});

test('a client that calls itself like a registered agent gets what both may do, and nothing once that one is revoked or has expired', async () => {
  const vault = await openWithExtension();
  await vault.principals.add({ id: 'agent:publisher', kind: 'agent', capabilities: ['ssss:page:*', 'ssss:rule:*', 'read:event', '*:*'] });
  const broad = await localAgentPrincipal(vault, 'publisher');
  expect(governing.filter(one => holds(broad?.capabilities ?? [], one))).toEqual([]);
  await vault.principals.revoke('agent:publisher');
  expect(await localAgentPrincipal(vault, 'publisher')).toBeNull();
  await vault.principals.add({ id: 'agent:publisher', kind: 'agent', capabilities: ['ssss:page:*', 'ssss:rule:*', 'read:event'] });
  const narrow = await localAgentPrincipal(vault, 'publisher');
  expect(narrow?.capabilities.filter(one => !one.startsWith('ssss:page:'))).toEqual(['ssss:rule:read']);
  await vault.principals.rotate('agent:publisher', { expires_at: '2000-01-01T00:00:00Z' });
  expect(await namedAgentPrincipal(vault, 'agent:publisher')).toBeNull();
});

test('a broad grant gives everything but governance; a grant that governs nothing stays as it is', async () => {
  const { registry } = await openWithExtension();
  const rights = withoutGovernance(['*:*'], registry);
  expect(governing.filter(one => holds(rights, one))).toEqual([]);
  const kept = ['ssss:rule:create', 'ssss:task:read', 'acme:ledger:read', 'acme:post', 'read:event', 'write:event', 'run:workflow'];
  expect(kept.filter(one => !holds(rights, one))).toEqual([]);
  expect(withoutGovernance(['ssss:memory:*', 'read:event', 'acme:*'], registry)).toEqual(['ssss:memory:*', 'read:event', 'acme:*']);
  expect(withoutGovernance(['ssss:role:*', 'admin:*', 'govern:role', 'admin:adopt', 'app:*'], registry)).toEqual([
    'ssss:role:read',
    'app:use',
    'app:chat',
  ]);
});
