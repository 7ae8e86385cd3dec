import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, makeVault, rule, workshopAt } from './sheaf.ts';

const workshop = workshopAt(realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-cli-'))));
const { inVault, sheaf, vault } = workshop;
const json = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await inVault(...args, '--json')).stdout) as Record<string, unknown>;

beforeAll(() => makeVault(workshop));
afterAll(() => rmSync(workshop.directory, { recursive: true, force: true }));

test('a lease is acquired once, listed, renewed by its holder and released', async () => {
  const lease = await json('lease', 'acquire', 'tasks/a.md', '--operation', 'op1', '--ttl', '300');
  expect(Object.keys(lease).sort()).toEqual([
    'expires_at',
    'issued_at',
    'lease_id',
    'operation_id',
    'principal_id',
    'target',
    'workspace_id',
  ]);
  expect((await inVault('lease', 'acquire', 'tasks/a.md', '--operation', 'op2')).stderr).toContain('[lease_conflict]');
  expect((await inVault('lease', 'ls')).stdout).toMatch(/^tasks\/a\.md {2}.*ends in \d/);
  const id = lease.lease_id as string;
  expect((await inVault('lease', 'renew', id, '--operation', 'op2')).stderr).toContain('[lease_conflict]');
  expect(await json('lease', 'renew', id, '--operation', 'op1', '--ttl', '600')).toMatchObject({ lease_id: id });
  expect((await inVault('lease', 'release', id, '--operation', 'op1')).stdout).toBe('released  tasks/a.md\n');
  expect(await inVault('lease', 'ls')).toMatchObject({ stdout: '', stderr: 'no live leases\n' });
  expect((await inVault('lease', 'acquire', 'tasks/a.md', '--operation', 'op1', '--ttl', 'soon')).status).toBe(2);
  expect((await inVault('lease', 'acquire', 'tasks/a.md')).status).toBe(2);
});

test('a registered principal acts within its capabilities, until it is revoked', async () => {
  const { id, token } = await json('principal', 'add', 'agent:writer', '--kind', 'agent', '--cap', 'ssss:rule:*', 'write:event');
  expect(id).toBe('agent:writer');
  expect(token).toMatch(/^\S{32,}$/);
  const written = await sheaf(['write', 'rules/a.md', '--as', 'agent:writer', '--json'], { cwd: vault, input: rule('A') });
  expect(written.status).toBe(0);
  const [event] = jsonLines((await inVault('log', '--json')).stdout);
  expect(event?.principal).toMatchObject({ id: 'agent:writer', kind: 'agent', workspaceIds: ['ws'] });
  expect((await inVault('log', '--as', 'agent:writer')).stderr).toContain('[forbidden]');
  expect((await inVault('principal', 'ls')).stdout).toMatch(/^agent:writer {2}agent {2}live {2}ssss:rule:\* write:event$/m);
  const state = (await json('principal', 'token', 'agent:writer', '--expires', '30d')).token;
  expect(state).not.toBe(token);
  expect((await inVault('principal', 'revoke', 'agent:writer')).stdout).toBe('revoked  agent:writer\n');
  expect((await inVault('cat', 'rules/a.md', '--as', 'agent:writer')).stderr).toContain('[unknown_principal]');
  expect((await inVault('principal', 'add', 'x', '--kind', 'robot', '--cap', '*:*')).status).toBe(2);
});

test('--principal attaches what the file holds; null is nobody, and a system principal needs a trusted caller', async () => {
  const file = join(workshop.directory, 'principal.json');
  const attach = (principal: unknown, ...options: string[]) => {
    writeFileSync(file, JSON.stringify(principal));
    return inVault('event', 'shop/door', '--principal', file, ...options);
  };
  expect((await attach(null)).stderr).toContain('[unauthorized]');
  const service = { id: 's', kind: 'service', workspaceIds: ['ws'], capabilities: ['write:event'], authentication: { provider: 'test' } };
  expect((await attach(service)).status).toBe(0);
  expect((await attach({ ...service, workspaceIds: ['other'] })).stderr).toContain('[forbidden]');
  const system = { ...service, kind: 'system', workspaceIds: [], capabilities: [] };
  expect((await attach(system)).stderr).toContain('--trusted-caller');
  expect((await attach(system, '--trusted-caller')).status).toBe(0);
  expect((await attach(service, '--as', 'agent:writer')).status).toBe(2);
});

test('the registry is shown, locked, verified, and a change of it is refused until it is locked again', async () => {
  expect((await inVault('registry', 'show')).stdout).toMatch(/^ssss:thread {9}tenant_private {2}append {3}thread_id$/m);
  expect((await json('registry', 'show', 'memory')).document_types).toMatchObject([{ qualified: 'ssss:memory' }]);
  expect((await inVault('registry', 'show', 'nonsense')).stderr).toContain('[invalid_request]');
  expect((await inVault('registry', 'lock')).stdout).toMatch(/^locked {2}sha256:/);
  expect((await inVault('registry', 'verify')).stdout).toMatch(/^as locked {2}sha256:/);
  const lock = join(vault, '.ssss/registry.lock.json');
  const text = readFileSync(lock, 'utf8');
  writeFileSync(lock, text.replace(/sha256:.{8}/, 'sha256:00000000'));
  expect((await inVault('ls')).stderr).toContain('[registry_drift]');
  expect((await inVault('registry', 'verify')).stderr).toContain('[registry_drift]');
  expect((await inVault('registry', 'show')).status).toBe(0);
  expect((await inVault('registry', 'lock')).status).toBe(0);
  expect(readFileSync(lock, 'utf8')).toBe(text);
});

test('a type of your own is drafted, checked, activated and then used', async () => {
  const made = await inVault('primitive', 'new', 'shop:invoice', '--name', 'Invoice');
  expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(/^wrote {2}primitives\/shop\/invoice\.md/) });
  expect((await inVault('primitive', 'new', 'shop:invoice')).stderr).toContain('[version_conflict]');
  expect((await inVault('primitive', 'new', 'Invoice')).stderr).toContain('[invalid_request]');
  const path = 'primitives/shop/invoice.md';
  expect((await inVault('primitive', 'check', path)).stdout).toMatch(
    /^ready {2}activating it would change \.ssss\/extensions\/shop\.json$/m,
  );
  expect(await sheaf(['write', 'rules/no-primitive.md'], { cwd: vault, input: rule('Plain') })).toMatchObject({ status: 0 });
  expect((await inVault('primitive', 'check', 'rules/no-primitive.md')).stderr).toContain('[checks_failed]');
  expect((await inVault('primitive', 'activate', path)).stdout).toMatch(/^activated {2}/);
  expect(existsSync(join(vault, '.ssss/extensions/shop.json'))).toBe(true);
  const invoice = rule('I').replace('type: rule', 'type: shop:invoice');
  expect(await sheaf(['write', 'invoices/1.md', '--json'], { cwd: vault, input: invoice })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('"type":"shop:invoice"'),
  });
});
