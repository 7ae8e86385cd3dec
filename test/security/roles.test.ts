import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Principal, Vault } from '#api';
import { diskVault, roleText, vaultAt, write } from './disk-vault.ts';

const path = 'roles/desk/ROLE.md';
const clerk = { id: 'agent:clerk', kind: 'agent', capabilities: ['write:event'], roles: ['desk'] };

/** What a fresh look at the token grants beyond what the principal was given by name. */
const fromRole = async (vault: Vault, token: string): Promise<readonly string[] | null> => {
  const principal = await vault.principals.verifyToken(token, 'ws-a');
  return principal === null ? null : principal.capabilities.filter(capability => capability !== 'write:event');
};

/** A governing agent of the host: it may write roles, but no person stands behind what it writes. */
const governor = (vault: Vault): Principal => ({ ...vault.localPrincipal(), id: 'agent:governor', kind: 'agent' });

const open = async () => {
  const disk = await diskVault();
  const vault = await disk.open();
  const person = vault.localPrincipal();
  const { token } = await vault.principals.add(clerk);
  return { disk, vault, person, token };
};

test('a role grants what its document says, from the moment a person writes it to the moment a person takes it back', async () => {
  const { vault, person, token } = await open();
  expect(await fromRole(vault, token)).toEqual([]);
  await write(vault, person, path, roleText(['ssss:memory:*', 'write:rule']));
  expect(await fromRole(vault, token)).toEqual(['ssss:memory:*', 'ssss:rule:*']);
  expect((await vault.principals.find('agent:clerk', 'ws-a'))?.capabilities).toContain('ssss:memory:*');
  await write(vault, person, path, roleText(['ssss:memory:read']));
  expect(await fromRole(vault, token)).toEqual(['ssss:memory:read']);
  await write(vault, person, path, null);
  expect(await fromRole(vault, token)).toEqual([]);
});

test('what an agent writes into a role grants nothing: the last version of a person counts, also after a restart', async () => {
  const { disk, vault, person, token } = await open();
  await write(vault, governor(vault), path, roleText(['ssss:memory:*']));
  expect(await fromRole(vault, token)).toEqual([]);
  await write(vault, person, path, roleText(['ssss:rule:read']));
  expect(await fromRole(vault, token)).toEqual(['ssss:rule:read']);
  await write(vault, governor(vault), path, roleText(['*:*']));
  expect(await fromRole(vault, token)).toEqual(['ssss:rule:read']);
  expect(await fromRole(await disk.open(), token)).toEqual(['ssss:rule:read']);
});

test('a person’s stored token and a weak sign-in are no person, a session and a second factor are', async () => {
  const { vault, person, token } = await open();
  // As a library host attaches them: what the policy lets through is not what the roles believe.
  const through = (provider: string, assurance: string): Principal => ({ ...person, authentication: { provider, assurance } });
  await write(vault, through('some-host', 'verified'), path, roleText(['ssss:memory:*']));
  expect(await fromRole(vault, token)).toEqual([]);
  await write(vault, through('some-host', 'strong'), path, roleText(['ssss:memory:read']));
  expect(await fromRole(vault, token)).toEqual(['ssss:memory:read']);
});

test('bytes that were changed past the log grant nothing new until a person adopts them', async () => {
  const { disk, vault, person, token } = await open();
  await write(vault, person, path, roleText(['ssss:rule:read']));
  expect(await fromRole(vault, token)).toEqual(['ssss:rule:read']);
  disk.writeOutside(path, roleText(['*:*']));
  expect(await fromRole(vault, token)).toEqual(['ssss:rule:read']);
  expect((await vault.adopt([path], governor(vault)))[0]?.outcome).toBe('refused');
  expect((await vault.adopt([path], person))[0]?.outcome).toBe('needs_confirmation');
  expect(await fromRole(vault, token)).toEqual(['ssss:rule:read']);
  await vault.adopt([path], person, { confirmed: [path] });
  expect(await fromRole(vault, token)).toEqual(['*:*']);
});

test('a version that nobody looked at before it was forged grants nothing', async () => {
  const { disk, vault, person, token } = await open();
  await write(vault, person, path, roleText(['ssss:rule:read']));
  disk.writeOutside(path, roleText(['*:*']));
  expect(await fromRole(vault, token)).toEqual([]);
});

test('rights that a person took away do not come back when an agent writes the role again, though nobody looked in between', async () => {
  const narrowed = await open();
  await write(narrowed.vault, narrowed.person, path, roleText(['*:*']));
  expect(await fromRole(narrowed.vault, narrowed.token)).toEqual(['*:*']);
  await write(narrowed.vault, narrowed.person, path, roleText(['ssss:rule:read']));
  await write(narrowed.vault, governor(narrowed.vault), path, roleText(['ssss:memory:*']));
  expect(await fromRole(narrowed.vault, narrowed.token)).toEqual([]);
  for (const remover of ['person', 'governor'] as const) {
    const { vault, person, token } = await open();
    await write(vault, person, path, roleText(['*:*']));
    expect(await fromRole(vault, token)).toEqual(['*:*']);
    await write(vault, remover === 'person' ? person : governor(vault), path, null);
    await write(vault, governor(vault), path, roleText(['ssss:memory:*']));
    expect(await fromRole(vault, token)).toEqual([]);
    expect(await fromRole(vault, token)).toEqual([]);
  }
});

test('a role counts although its version cannot be remembered', async () => {
  const { disk, vault, person, token } = await open();
  await write(vault, person, path, roleText(['ssss:rule:read']));
  // A directory where the file would be: it can be neither written nor read.
  mkdirSync(join(disk.stateDir, 'roles.json', 'in-the-way'), { recursive: true });
  expect(await fromRole(vault, token)).toEqual(['ssss:rule:read']);
  await write(vault, governor(vault), path, roleText(['*:*']));
  expect(await fromRole(vault, token)).toEqual([]);
});

test('a role never grants more than the person held who wrote it, nor anything through another type at its place', async () => {
  const { vault, person, token } = await open();
  const limited: Principal = { ...person, capabilities: ['ssss:role:*', 'ssss:rule:*', 'ssss:memory:read'] };
  await write(vault, limited, path, roleText(['ssss:memory:read']));
  expect(await fromRole(vault, token)).toEqual(['ssss:memory:read']);
  await write(vault, person, path, null);
  await write(vault, person, path, roleText([]).replace('type: role', 'type: rule').replace('permissions: []\n', "permissions: ['*:*']\n"));
  expect(await fromRole(vault, token)).toEqual([]);
});

test.each(['../desk', 'a/b', '', '.', '..', 'x'.repeat(5000), 'desk\u0000'])('the name %.12j is no role', async role => {
  const { vault } = await open();
  await expect(vault.principals.add({ ...clerk, id: 'agent:other', roles: [role] })).rejects.toThrow(/role/);
  expect(await vault.principals.expandRoles([role])).toEqual([]);
});

test('a copy of the vault brings neither its tokens nor its roles along', async () => {
  const { disk, vault, person } = await open();
  await write(vault, person, path, roleText(['ssss:memory:*']));
  const copy = `${disk.root}-copy`;
  cpSync(disk.root, copy, { recursive: true });
  const elsewhere = await vaultAt(copy, join(copy, '..', 'other-state'), { trusted: false });
  const opened = await elsewhere.open();
  const { token } = await opened.principals.add(clerk);
  expect(await fromRole(opened, token)).toEqual([]);
  await elsewhere.trust().accept();
  expect(await fromRole(await elsewhere.open(), token)).toEqual(['ssss:memory:*']);
  // Also where it was open all the while, as in a server.
  expect(await fromRole(opened, token)).toEqual(['ssss:memory:*']);
});
