import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { fakeClock } from '#adapter-contracts/testing';
import { type CallName, calls, runCall, type Vault } from '#api';
import { initVault, type OpenVaultOptions, openMemoryVault, openVault } from './open-vault.ts';

const rule = (body: string) =>
  `---\ntype: rule\nname: tone\ntitle: Tone\ndescription: How we write\ntimestamp: 2026-05-16T14:00:00Z\nslug: tone\n---\n${body}\n`;
const scratch = () => mkdtempSync(join(tmpdir(), 'sheaf-vault-'));
const timestamp = '2026-05-16T14:00:00Z';
const opened: Vault[] = [];

afterEach(async () => {
  for (const vault of opened.splice(0)) await vault.close();
});

const newVault = async (): Promise<{ root: string; stateDir: string }> => {
  const parent = scratch();
  const { root } = await initVault({ root: join(parent, 'vault'), workspaceId: 'ws-a' });
  return { root, stateDir: join(parent, 'state') };
};
const open = async (options: OpenVaultOptions): Promise<Vault> => {
  const vault = await openVault(options);
  opened.push(vault);
  return vault;
};
const put = (root: string, file: string, value: unknown) => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), typeof value === 'string' ? value : JSON.stringify(value));
};
let keys = 0;
const envelope = (path: string, content: string) => ({
  type: 'operation',
  workspace_id: 'ws-a',
  idempotency_key: `key-${keys++}`,
  path,
  content,
});
const write = (vault: Vault, path: string, content: string) =>
  vault.execute(envelope(path, content), { principal: vault.localPrincipal() });
const run = async (vault: Vault, name: CallName, input: unknown): Promise<Record<string, unknown>> => {
  const call = calls[name];
  return call.output.parse(await runCall(call as never, vault, { principal: vault.localPrincipal() }, input)) as Record<string, unknown>;
};

test('what one opening writes, the next one reads: document, event, listing', async () => {
  const where = await newVault();
  const first = await open(where);
  expect(first).toMatchObject({ workspaceId: 'ws-a', root: where.root, specVersion: '0.9' });
  expect(await write(first, 'rules/tone.md', rule('a'))).toMatchObject({ success: true, validation: { type: 'ssss:rule' } });
  await first.close();
  opened.pop();
  const second = await open(where);
  expect(await second.read('rules/tone.md')).toMatchObject({ text: rule('a'), type: 'ssss:rule' });
  expect(await run(second, 'event.list', {})).toMatchObject({ events: [{ subject: 'rules/tone.md', action: 'create' }] });
  expect(await run(second, 'vault.status', {})).toMatchObject({ rows: [], files: { documents: 1 } });
  expect(await second.check()).toMatchObject({ valid: true, log_damage: [] });
});

test('opening a vault writes no machine state and changes no document', async () => {
  const where = await newVault();
  put(where.root, 'notes/own.md', 'text\n');
  const vault = await open(where);
  await vault.status();
  await vault.check();
  await vault.principals.list();
  expect(existsSync(where.stateDir)).toBe(false);
  expect(readFileSync(join(where.root, 'notes/own.md'), 'utf8')).toBe('text\n');
});

test('hand edits on the disk are seen, adopted, and then level', async () => {
  const where = await newVault();
  const vault = await open(where);
  await write(vault, 'rules/tone.md', rule('a'));
  put(where.root, 'rules/tone.md', rule('by hand'));
  put(where.root, 'rules/new.md', rule('new'));
  expect((await vault.status()).rows.map(row => [row.kind, row.path])).toEqual([
    ['untracked', 'rules/new.md'],
    ['drift', 'rules/tone.md'],
  ]);
  expect(await write(vault, 'rules/tone.md', rule('blind'))).toMatchObject({ error: { code: 'version_conflict' } });
  expect(await run(vault, 'vault.adopt', {})).toMatchObject({ results: [{ outcome: 'adopted' }, { outcome: 'adopted' }] });
  expect((await vault.status()).rows).toEqual([]);
});

test('a listing below a file or a link tells whoever may not read it nothing', async () => {
  const where = await newVault();
  const vault = await open(where);
  await write(vault, 'rules/tone.md', rule('a'));
  symlinkSync('rules', join(where.root, 'link'));
  const stranger = { ...vault.localPrincipal(), capabilities: ['ssss:memory:read'] };
  const list = (principal: unknown, prefix: string) => runCall(calls['document.list'], vault, { principal }, { prefix });
  for (const prefix of ['rules/tone.md/x', 'link/x', 'absent/x'])
    expect(await list(stranger, prefix)).toEqual({ documents: [], cursor: null });
  await expect(list(vault.localPrincipal(), 'link/x')).rejects.toMatchObject({ code: 'invalid_request' });
});

test('status and check tolerate anything on the disk and account for every file', async () => {
  const where = await newVault();
  const vault = await open(where);
  put(where.root, 'rules/latin.md', 'x');
  writeFileSync(join(where.root, 'rules/latin.md'), Buffer.from([0x2d, 0xe9, 0x0a]));
  symlinkSync('latin.md', join(where.root, 'rules/link.md'));
  symlinkSync('nowhere', join(where.root, 'rules/dangling.md'));
  mkdirSync(join(where.root, 'rules/directory.md'));
  put(where.root, 'con.md', rule('a name Windows refuses'));
  put(where.root, 'a\nb.md', 'line break in the name\n');
  put(where.root, 'rules/.a.md.swp', 'x');
  const status = await vault.status();
  const report = await vault.check();
  for (const files of [status.files, report.files]) {
    expect(files.found).toBe(files.documents + files.ordinary + files.reported.length);
    expect(files.reported.map(file => file.path)).toEqual(
      expect.arrayContaining(['rules/latin.md', 'rules/link.md', 'rules/dangling.md', 'rules/.a.md.swp']),
    );
  }
  expect(report.problems.map(problem => problem.path)).toContain('rules/latin.md');
});

test('a damaged log is told by check with file and offset, and hides nothing', async () => {
  const where = await newVault();
  const first = await open(where);
  await write(first, 'rules/a.md', rule('a'));
  await first.close();
  opened.pop();
  const [segment] = readdirSync(join(where.root, '.ssss/events'));
  const file = join(where.root, '.ssss/events', segment ?? '');
  const before = readFileSync(file);
  writeFileSync(file, Buffer.concat([before, Buffer.alloc(16), Buffer.from('\n')]));
  const second = await open(where);
  await write(second, 'rules/b.md', rule('b'));
  const report = await second.check();
  expect(report.valid).toBe(false);
  expect(report.log_damage).toMatchObject([{ file: `.ssss/events/${segment}`, offset: before.length }]);
  expect(await run(second, 'event.list', {})).toMatchObject({ events: [{ subject: 'rules/a.md' }, { subject: 'rules/b.md' }] });
});

test('configuration that is ignored is told as a notice', async () => {
  const where = await newVault();
  put(where.root, '.ssss/local/principals.json', '{}');
  put(where.root, '.ssss/extensions/unlisted.json', '{}');
  const vault = await open(where);
  expect(vault.notices().map(notice => notice.file)).toEqual(expect.arrayContaining(['.ssss/local', '.ssss/extensions/unlisted.json']));
});

test('a policy file and leases hold in the opened vault', async () => {
  const where = await newVault();
  put(where.root, '.ssss/policy.json', { lease_required: ['rules/**'] });
  const vault = await open(where);
  expect(await write(vault, 'rules/a.md', rule('a'))).toMatchObject({ error: { code: 'lease_conflict' } });
  const lease = await run(vault, 'lease.acquire', { target: 'rules/a.md', operation_id: 'op' });
  const leased = { ...envelope('rules/a.md', rule('a')), lease_id: lease.lease_id, operation_id: 'op' };
  expect(await vault.execute(leased, { principal: vault.localPrincipal() })).toMatchObject({ success: true });
});

test('a primitive document becomes a type: written, checked, activated, and known at the next opening', async () => {
  const where = await newVault();
  const vault = await open(where);
  await run(vault, 'registry.lock', {});
  const made = await run(vault, 'primitive.new', { primitive_id: 'acme:booking', name: '顧客予約', idempotency_key: 'new', timestamp });
  expect(made).toMatchObject({ path: 'primitives/acme/booking.md', response: { success: true } });
  const path = made.path as string;
  expect(await run(vault, 'primitive.check', { path })).toEqual({
    path,
    valid: true,
    problems: [],
    file: '.ssss/extensions/acme.json',
    changes: true,
  });
  expect(existsSync(join(where.root, '.ssss/extensions/acme.json'))).toBe(false);
  const activated = await run(vault, 'primitive.activate', { path });
  expect(activated).toMatchObject({ file: '.ssss/extensions/acme.json', changed: true });
  expect(await run(vault, 'registry.verify', {})).toEqual({ digest: activated.digest, locked: true, current: false });
  const next = await open(where);
  expect(next.registry.digest).toBe(activated.digest);
  const booking = rule('b').replace('type: rule', 'type: booking');
  expect(await write(next, 'bookings/b.md', booking)).toMatchObject({ success: true, validation: { type: 'acme:booking' } });
  expect(await run(next, 'primitive.activate', { path })).toMatchObject({ changed: false });
  expect(await run(next, 'registry.verify', {})).toMatchObject({ current: true });
});

test('a second primitive joins the extension of its namespace; one that collides is refused and nothing is written', async () => {
  const where = await newVault();
  const vault = await open(where);
  for (const id of ['one', 'two']) {
    const { path } = await run(vault, 'primitive.new', { primitive_id: `acme:${id}`, idempotency_key: id, timestamp });
    await run(vault, 'primitive.activate', { path });
  }
  const extension = JSON.parse(readFileSync(join(where.root, '.ssss/extensions/acme.json'), 'utf8'));
  expect(extension).toMatchObject({ registry: 'acme', version: '1.1.0', primitives: { one: {}, two: {} } });
  const { path } = await run(vault, 'primitive.new', { primitive_id: 'evil:rule', idempotency_key: 'evil', timestamp });
  expect(await run(vault, 'primitive.check', { path })).toMatchObject({
    valid: false,
    problems: [{ issue: expect.stringContaining('rule') }],
  });
  await expect(run(vault, 'primitive.activate', { path })).rejects.toMatchObject({ code: 'registry_collision' });
  expect(existsSync(join(where.root, '.ssss/extensions/evil.json'))).toBe(false);
  await write(vault, 'rules/a.md', rule('a'));
  await expect(run(vault, 'primitive.activate', { path: 'rules/a.md' })).rejects.toMatchObject({ code: 'validation_failed' });
});

test('a vault whose registry drifted from its lock does not open, except for the commands that mend it', async () => {
  const where = await newVault();
  const vault = await open(where);
  const { path } = await run(vault, 'primitive.new', { primitive_id: 'acme:one', idempotency_key: 'one', timestamp });
  await run(vault, 'primitive.activate', { path });
  await run(vault, 'registry.lock', {});
  const file = join(where.root, '.ssss/extensions/acme.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('tenant_private', 'structural'));
  await expect(openVault(where)).rejects.toMatchObject({ code: 'registry_drift' });
  const mending = await open({ ...where, acceptRegistryDrift: true });
  await expect(run(mending, 'registry.verify', {})).rejects.toMatchObject({ code: 'registry_drift' });
  await run(mending, 'registry.lock', {});
  await open(where);
});

test('a pending conflict keeps its memory from becoming active', async () => {
  const vault = await openMemoryVault({ workspaceId: 'ws-a' });
  const head = 'title: t\ndescription: d\ntimestamp: 2026-05-16T14:00:00Z\n';
  const conflict = (status: string) =>
    `---\ntype: conflict\n${head}conflict_id: conflict-2026-05-16-001\nstatus: ${status}\nnew_slug: html\nexisting_slug: plain\ndetected_at: 2026-05-16T14:00:00Z\n---\n`;
  const memory = `---\ntype: memory\n${head}slug: html\ncategory: facts\nstatus: active\nschema_version: 1\n---\n`;
  expect(await write(vault, 'conflicts/c.md', conflict('pending'))).toMatchObject({ success: true });
  expect(await write(vault, 'memory/html.md', memory)).toMatchObject({
    error: { code: 'forbidden', message: expect.stringContaining('conflicts/c.md') },
  });
  await write(vault, 'conflicts/c.md', conflict('resolved'));
  expect(await write(vault, 'memory/html.md', memory)).toMatchObject({ success: true });
});

test('pre-0.9 roles are refused unless they are switched on', async () => {
  const asRole = (role: string) => ({ ...envelope('rules/a.md', rule(role)), actor: { role } });
  const plain = await openMemoryVault({ workspaceId: 'ws-a' });
  expect(await plain.execute(asRole('system'), { principal: null })).toMatchObject({ error: { code: 'unauthorized' } });
  const compatible = await openMemoryVault({ workspaceId: 'ws-a', pre09Roles: true });
  expect(await compatible.execute(asRole('admin'), { principal: null })).toMatchObject({ success: true });
  expect(await compatible.execute(asRole('cook'), { principal: null })).toMatchObject({ success: false });
  const role =
    '---\ntype: security_role\ntitle: Cook\ndescription: d\ntimestamp: 2026-05-16T14:00:00Z\nname: cook\npermissions: ["write:rule"]\n---\n';
  await write(compatible, 'roles/cook/ROLE.md', role);
  expect(await compatible.execute(asRole('cook'), { principal: null })).toMatchObject({ success: true });
});

test('a process killed between document and event leaves a commit that the next opening takes back and notes', async () => {
  const where = await newVault();
  const built = (room: string) => pathToFileURL(join(process.cwd(), 'dist', room)).href;
  const script = `
    import { openVault } from ${JSON.stringify(built('open-vault.js'))};
    const vault = await openVault({ ...${JSON.stringify(where)}, wrapAdapters: adapters => ({ ...adapters, events: { ...adapters.events, append: () => process.kill(process.pid, 'SIGKILL') } }) });
    await vault.execute(${JSON.stringify(envelope('rules/a.md', rule('half')))}, { principal: vault.localPrincipal() });`;
  const signal = await new Promise(resolve => {
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }).on('exit', (_, how) => resolve(how));
  });
  expect(signal).toBe('SIGKILL');
  expect(existsSync(join(where.root, 'rules/a.md'))).toBe(true);
  const vault = await open(where);
  expect(vault.recoveries).toMatchObject([{ path: 'rules/a.md', outcome: 'rolled_back' }]);
  expect(await vault.read('rules/a.md')).toBeNull();
  expect(await run(vault, 'vault.recover', {})).toMatchObject({
    outcomes: [{ path: 'rules/a.md', outcome: 'rolled_back', recorded_at: expect.any(String) }],
    in_flight: [],
  });
  expect(await run(await open(where), 'vault.recover', {})).toMatchObject({ outcomes: [{ outcome: 'rolled_back' }] });
});

test('the clock given is the one events and leases go by', async () => {
  const where = await newVault();
  const vault = await open({ ...where, clock: fakeClock('2030-01-01T00:00:00.000Z') });
  expect(await write(vault, 'rules/a.md', rule('a'))).toMatchObject({ committed_at: '2030-01-01T00:00:00.000Z' });
});

test('a projection that fails is a warning of the commit, and brings itself level with the next one', async () => {
  const applied: string[] = [];
  let failing = true;
  const projection = {
    id: 'count',
    apply: ({ subject }: { subject: string }) => {
      if (failing) throw new Error('disk full');
      applied.push(subject);
    },
    reset: () => undefined,
  };
  const vault = await openMemoryVault({ workspaceId: 'ws-a', projections: [projection] });
  expect(await write(vault, 'rules/a.md', rule('a'))).toMatchObject({
    success: true,
    validation: { warnings: [expect.stringContaining("projection 'count': disk full")] },
  });
  failing = false;
  expect(await write(vault, 'rules/b.md', rule('b'))).toMatchObject({ success: true, validation: { warnings: [] } });
  expect(applied).toEqual(['rules/a.md', 'rules/b.md']);
});

test('a vault whose directory is moved away under it is not listed as empty', async () => {
  const options = await newVault();
  const vault = await open(options);
  await write(vault, 'rules/a.md', rule('A.'));
  renameSync(options.root, `${options.root}.away`);
  try {
    await expect(run(vault, 'document.list', {})).rejects.toThrow('gone');
  } finally {
    renameSync(`${options.root}.away`, options.root);
  }
  expect(await run(vault, 'document.list', {})).toMatchObject({ documents: [{ path: 'rules/a.md' }] });
});

test('a directory without a vault is refused and nothing is made', async () => {
  const root = scratch();
  await expect(openVault({ root })).rejects.toMatchObject({ code: 'no_vault' });
  expect(readdirSync(root)).toEqual([]);
  rmSync(root, { recursive: true });
  await expect(openVault({ root })).rejects.toMatchObject({ code: 'no_vault' });
});
