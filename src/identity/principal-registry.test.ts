import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { openPrincipalRegistry } from './principal-registry.ts';

const freshDir = () => join(mkdtempSync(join(tmpdir(), 'sheaf-identity-')), 'state');
const agent = { id: 'agent:claude', kind: 'agent', capabilities: ['ssss:memory:*', 'write:event'] };

const clockAt = (iso: string) => {
  let now = new Date(iso);
  return { clock: { now: () => now }, set: (next: string) => (now = new Date(next)) };
};

test('a token is shown once, stands for its principal, and is stored nowhere', async () => {
  const stateDir = freshDir();
  const registry = openPrincipalRegistry({ stateDir });
  const { id, token } = await registry.add(agent);
  expect(id).toBe('agent:claude');
  expect(Buffer.from(token.replace('sheaf_', ''), 'base64url')).toHaveLength(32);
  expect(await registry.verifyToken(token, 'ws-a')).toEqual({
    id: 'agent:claude',
    kind: 'agent',
    workspaceIds: ['ws-a'],
    capabilities: ['ssss:memory:*', 'write:event'],
    authentication: { provider: 'token', assurance: 'verified' },
  });
  for (const name of readdirSync(stateDir)) expect(readFileSync(join(stateDir, name), 'utf8')).not.toContain(token);
  expect(JSON.stringify(await registry.list())).not.toMatch(/hash|sheaf_/);
});

test('machine state is readable by its owner only, also when it was left open', async () => {
  const stateDir = freshDir();
  const registry = openPrincipalRegistry({ stateDir });
  await registry.add(agent);
  expect(statSync(stateDir).mode & 0o777).toBe(0o700);
  expect(statSync(join(stateDir, 'principals.json')).mode & 0o777).toBe(0o600);
  chmodSync(stateDir, 0o755);
  await registry.add({ ...agent, id: 'second' });
  expect(statSync(stateDir).mode & 0o777).toBe(0o700);
});

test('looking creates nothing on the disk', async () => {
  const stateDir = freshDir();
  expect(await openPrincipalRegistry({ stateDir }).list()).toEqual([]);
  expect(() => statSync(stateDir)).toThrow();
});

test('a wrong, cut or foreign token stands for nobody', async () => {
  const registry = openPrincipalRegistry({ stateDir: freshDir() });
  const { token } = await registry.add(agent);
  for (const wrong of ['', 'sheaf_', token.slice(0, -1), `${token}x`, token.toUpperCase()])
    expect(await registry.verifyToken(wrong, 'ws-a')).toBeNull();
});

test('an expired token stands for nobody, and a new one may carry a new expiry', async () => {
  const { clock, set } = clockAt('2026-01-01T00:00:00Z');
  const registry = openPrincipalRegistry({ stateDir: freshDir(), clock });
  const { token } = await registry.add({ ...agent, expires_at: '2026-01-02T00:00:00Z' });
  expect(await registry.verifyToken(token, 'ws-a')).not.toBeNull();
  set('2026-01-02T00:00:00Z');
  expect(await registry.verifyToken(token, 'ws-a')).toBeNull();
  expect(await registry.find(agent.id, 'ws-a')).toBeNull();
  const rotated = await registry.rotate(agent.id, { expires_at: null });
  expect(await registry.verifyToken(rotated.token, 'ws-a')).not.toBeNull();
});

test('a revocation by another opener of the same state counts from the next call on', async () => {
  const stateDir = freshDir();
  const here = openPrincipalRegistry({ stateDir });
  const { token } = await here.add(agent);
  await openPrincipalRegistry({ stateDir }).revoke(agent.id);
  expect(await here.verifyToken(token, 'ws-a')).toBeNull();
  expect(await here.find(agent.id, 'ws-a')).toBeNull();
  await expect(here.rotate(agent.id)).rejects.toThrow(/was revoked/);
  const again = await here.add({ ...agent, capabilities: ['write:event'] });
  expect((await here.verifyToken(again.token, 'ws-a'))?.capabilities).toEqual(['write:event']);
  expect(await here.verifyToken(token, 'ws-a')).toBeNull();
});

test('a file that has not changed for long need not be read again, and a revocation elsewhere counts all the same', async () => {
  const stateDir = freshDir();
  const registry = openPrincipalRegistry({ stateDir });
  const { token } = await registry.add(agent);
  const file = join(stateDir, 'principals.json');
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(file, longAgo, longAgo);
  expect(await registry.verifyToken(token, 'ws-a')).not.toBeNull();
  expect(await registry.verifyToken(token, 'ws-a')).not.toBeNull();
  await openPrincipalRegistry({ stateDir }).revoke(agent.id);
  expect(await registry.verifyToken(token, 'ws-a')).toBeNull();
  utimesSync(file, longAgo, longAgo);
  expect(await registry.verifyToken(token, 'ws-a')).toBeNull();
});

test('roles are kept with the principal and asked for at every look', async () => {
  let granted = ['ssss:memory:read'];
  const asked: (readonly string[])[] = [];
  const expandRoles = async (roles: readonly string[]) => {
    asked.push(roles);
    return roles.length === 0 ? [] : granted;
  };
  const registry = openPrincipalRegistry({ stateDir: freshDir(), expandRoles });
  const { token } = await registry.add({ ...agent, roles: ['desk', 'desk'] });
  expect((await registry.verifyToken(token, 'ws-a'))?.capabilities).toEqual(['ssss:memory:*', 'write:event', 'ssss:memory:read']);
  granted = [];
  expect((await registry.find(agent.id, 'ws-a'))?.capabilities).toEqual(['ssss:memory:*', 'write:event']);
  expect(asked).toEqual([['desk'], ['desk']]);
  expect((await registry.list())[0]?.roles).toEqual(['desk']);
});

test('a new token voids the old one', async () => {
  const registry = openPrincipalRegistry({ stateDir: freshDir() });
  const first = await registry.add(agent);
  const second = await registry.rotate(agent.id);
  expect(await registry.verifyToken(first.token, 'ws-a')).toBeNull();
  expect((await registry.verifyToken(second.token, 'ws-a'))?.id).toBe(agent.id);
});

test.each([
  ['kind system', { ...agent, kind: 'system' }, /cannot be registered/],
  ['an unknown kind', { ...agent, kind: 'robot' }, /cannot be registered/],
  ['an id of the host', { ...agent, id: 'sheaf:runtime' }, /belong to the host/],
  ['the local person', { ...agent, id: 'LOCAL:root' }, /belong to the host/],
  ['an empty id', { ...agent, id: '' }, /1 to 256/],
  ['an id with a line break', { ...agent, id: 'a\nb' }, /1 to 256/],
  ['a capability that grants nothing', { ...agent, capabilities: ['*'] }, /grants nothing/],
  ['a capability with an inner star', { ...agent, capabilities: ['ssss:*:read'] }, /grants nothing/],
  ['an expiry that is no instant', { ...agent, expires_at: 'tomorrow' }, /not an ISO 8601/],
])('%s is refused and nobody is registered', async (_, request, message) => {
  const registry = openPrincipalRegistry({ stateDir: freshDir() });
  await expect(registry.add(request)).rejects.toThrow(message);
  expect(await registry.list()).toEqual([]);
});

test('an id that is registered already is refused', async () => {
  const registry = openPrincipalRegistry({ stateDir: freshDir() });
  const { token } = await registry.add(agent);
  await expect(registry.add(agent)).rejects.toThrow(/registered already/);
  expect(await registry.verifyToken(token, 'ws-a')).not.toBeNull();
  await expect(registry.revoke('nobody')).rejects.toMatchObject({ code: 'not_found' });
});

test.each([
  ['text that is not JSON', '{"version":1,', /principals\.json is not JSON/],
  ['a key that stands twice', '{"version":1,"principals":[],"principals":[]}', /'principals' stands twice/],
  [
    'a system principal written by hand',
    JSON.stringify({ version: 1, principals: [{ id: 'x', kind: 'system' }] }),
    /principals\.json: principals\.0\.kind/,
  ],
])('a registry file with %s admits nobody and names the place', async (_, text, message) => {
  const stateDir = freshDir();
  const registry = openPrincipalRegistry({ stateDir });
  const { token } = await registry.add(agent);
  writeFileSync(join(stateDir, 'principals.json'), text);
  await expect(registry.verifyToken(token, 'ws-a')).rejects.toThrow(message);
  await expect(registry.add({ ...agent, id: 'other' })).rejects.toThrow(message);
});

test('processes that add principals at once lose none, and leave no lock behind', async () => {
  const stateDir = freshDir();
  const built = pathToFileURL(join(process.cwd(), 'dist/identity/index.js')).href;
  const child = (name: string) => `
    import { openPrincipalRegistry } from ${JSON.stringify(built)};
    const registry = openPrincipalRegistry({ stateDir: ${JSON.stringify(stateDir)} });
    await Promise.all(Array.from({ length: 20 }, (_, i) => registry.add({ id: '${name}-' + i, kind: 'agent', capabilities: [] })));`;
  const run = (name: string) =>
    new Promise<number | null>(resolve => {
      spawn(process.execPath, ['--input-type=module', '-e', child(name)], { stdio: 'inherit' }).on('exit', resolve);
    });
  expect(await Promise.all(['a', 'b', 'c'].map(run))).toEqual([0, 0, 0]);
  const registry = openPrincipalRegistry({ stateDir });
  expect(new Set((await registry.list()).map(principal => principal.id)).size).toBe(60);
  expect(readdirSync(stateDir).filter(name => name.endsWith('.tmp'))).toEqual([]);
  await registry.add(agent);
});
