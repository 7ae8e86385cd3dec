import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Principal, Vault } from '#api';
import { openMemoryVault } from '#open-vault';
import { agentCaller } from './agent-caller.ts';

const open = async (): Promise<Vault> => {
  const vault = await openMemoryVault();
  onTestFinished(() => vault.close());
  return vault;
};

const principalFile = (principal: unknown): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-principal-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'principal.json');
  writeFileSync(file, JSON.stringify(principal));
  return file;
};

const service: Principal = {
  id: 'service:door',
  kind: 'service',
  workspaceIds: ['ws-memory'],
  capabilities: ['*:*'],
  authentication: { provider: 'internal', assurance: 'verified' },
};

test('without a name the caller is the client, with one it is that agent; both hold the rights of a local agent', async () => {
  const vault = await open();
  const unnamed = await (await agentCaller(vault, {}))('Some Client');
  const named = await (await agentCaller(vault, { as: 'agent:night' }))('Some Client');
  expect([unnamed.principal, named.principal]).toMatchObject([{ id: 'agent:Some-Client' }, { id: 'agent:night' }]);
  expect((unnamed.principal as Principal).capabilities).toEqual((named.principal as Principal).capabilities);
});

test('a registered agent acts with what it was granted, less governance, until it is revoked', async () => {
  const vault = await open();
  await vault.principals.add({ id: 'agent:broad', kind: 'agent', capabilities: ['ssss:rule:*', 'read:event', 'admin:principal'] });
  const caller = await agentCaller(vault, { as: 'agent:broad' });
  expect((await caller(null)).principal).toMatchObject({
    id: 'agent:broad',
    capabilities: ['ssss:rule:*', 'read:event'],
    authentication: { provider: 'mcp-stdio', assurance: 'verified' },
  });
  await vault.principals.revoke('agent:broad');
  expect((await caller(null)).principal).toBeNull();
  await expect(agentCaller(vault, { as: 'agent:broad' })).rejects.toMatchObject({ code: 'unknown_principal' });
});

test('nobody acts under the name of a person, registered or in a file, and a name for an agent begins with agent:', async () => {
  const vault = await open();
  await vault.principals.add({ id: 'human:ada', kind: 'human', capabilities: ['ssss:rule:*'] });
  await expect(agentCaller(vault, { as: 'human:ada' })).rejects.toThrow("no agent acts under a person's name");
  await expect(agentCaller(vault, { as: 'human:nobody' })).rejects.toThrow("begins with 'agent:'");
  await expect(agentCaller(vault, { principal: principalFile({ ...service, kind: 'human' }) })).rejects.toThrow(
    "no agent acts under a person's name",
  );
});

test('a principal in a file is narrowed too; only a trusted caller attaches one as it is, and null stays nobody', async () => {
  const vault = await open();
  const narrowed = await (await agentCaller(vault, { principal: principalFile(service) }))(null);
  expect((narrowed.principal as Principal).capabilities).not.toContain('*:*');
  const system = principalFile({ ...service, kind: 'system' });
  await expect(agentCaller(vault, { principal: system })).rejects.toMatchObject({ code: 'forbidden' });
  expect((await (await agentCaller(vault, { principal: system, trustedCaller: true }))(null)).principal).toMatchObject({ kind: 'system' });
  expect((await (await agentCaller(vault, { principal: principalFile(null) }))(null)).principal).toBeNull();
  await expect(agentCaller(vault, { trustedCaller: true })).rejects.toThrow('--trusted-caller belongs');
  await expect(agentCaller(vault, { as: 'agent:x', principal: system })).rejects.toThrow('exclude each other');
});
