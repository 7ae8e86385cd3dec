import { expect, test } from 'vitest';
import { openMemoryVault, type VaultAdapters } from '#open-vault';
import type { Vault } from './vault.ts';

const rule = (body: string) =>
  `---\ntype: rule\nname: tone\ntitle: Tone\ndescription: How we write\ntimestamp: 2026-05-16T14:00:00Z\nslug: tone\n---\n${body}\n`;
const role =
  '---\ntype: security_role\ntitle: Cook\ndescription: d\ntimestamp: 2026-05-16T14:00:00Z\nname: cook\npermissions: ["ssss:rule:read"]\n---\n';
const person = (...capabilities: string[]) => ({
  id: 'u1',
  kind: 'human' as const,
  workspaceIds: ['ws-memory'],
  capabilities,
  authentication: { provider: 'test', assurance: 'verified' },
});
const owner = person('*:*');

const openEditable = async (policy: object = {}) => {
  let adapters: VaultAdapters | undefined;
  const vault = await openMemoryVault({ policy, wrapAdapters: given => (adapters = given) });
  const edit = async (path: string, text: string | null) => {
    const { vfs } = adapters!;
    const stored = await vfs.read(path);
    if (text !== null)
      await vfs.writeAtomic(path, new TextEncoder().encode(text), stored === null ? { ifAbsent: true } : { version: stored.version });
    else if (stored !== null) await vfs.remove(path, { version: stored.version });
  };
  return { vault, edit };
};

let keys = 0;
const write = (vault: Vault, path: string, content: string) =>
  vault.execute({ type: 'operation', workspace_id: vault.workspaceId, idempotency_key: `k${keys++}`, path, content }, { principal: owner });

const logOf = async (vault: Vault) => {
  const events = [];
  for await (const { event } of vault.events()) events.push(event);
  return events;
};

test('adopting records one event per hand edit, as the caller, and leaves the files alone', async () => {
  const { vault, edit } = await openEditable();
  await write(vault, 'rules/a.md', rule('a'));
  await write(vault, 'rules/b.md', rule('b'));
  await edit('rules/a.md', rule('edited'));
  await edit('rules/b.md', null);
  await edit('rules/c.md', rule('new'));
  await edit('index.md', '- [[tone]]\n');
  const results = await vault.adopt(null, owner);
  expect(results.map(({ path, outcome, action }) => [path, outcome, action])).toEqual([
    ['index.md', 'adopted', 'create'],
    ['rules/a.md', 'adopted', 'replace'],
    ['rules/b.md', 'adopted', 'delete'],
    ['rules/c.md', 'adopted', 'create'],
  ]);
  const events = (await logOf(vault)).slice(2).toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
  expect(
    events.map(event => [event.subject, event.action, event.principal.id, (event.payload as { primitive_id: string }).primitive_id]),
  ).toEqual([
    ['index.md', 'event', 'u1', 'ssss:index'],
    ['rules/a.md', 'event', 'u1', 'ssss:rule'],
    ['rules/b.md', 'event', 'u1', 'ssss:rule'],
    ['rules/c.md', 'event', 'u1', 'ssss:rule'],
  ]);
  expect((await vault.status()).rows).toEqual([]);
  expect((await vault.read('rules/a.md'))?.text).toBe(rule('edited'));
});

test('after an adoption a plain replace works again', async () => {
  const { vault, edit } = await openEditable();
  await write(vault, 'rules/a.md', rule('a'));
  await edit('rules/a.md', rule('edited'));
  expect(await write(vault, 'rules/a.md', rule('blind'))).toMatchObject({ error: { code: 'version_conflict' } });
  await vault.adopt(['rules/a.md'], owner);
  expect(await write(vault, 'rules/a.md', rule('next'))).toMatchObject({ success: true });
});

test('only the named paths and directories are adopted; what is level is said to be unchanged', async () => {
  const { vault, edit } = await openEditable();
  await write(vault, 'rules/a.md', rule('a'));
  await edit('rules/deep/b.md', rule('b'));
  await edit('other.md', rule('c'));
  const results = await vault.adopt(['rules', 'rules/a.md'], owner);
  expect(results).toMatchObject([
    { path: 'rules/deep/b.md', outcome: 'adopted' },
    { path: 'rules/a.md', outcome: 'unchanged' },
  ]);
  expect((await vault.status()).rows.map(row => row.path)).toEqual(['other.md']);
});

test('a path that is nowhere is not called unchanged', async () => {
  const { vault, edit } = await openEditable();
  await write(vault, 'rules/a.md', rule('a'));
  await edit('README.md', 'hello\n');
  const results = await vault.adopt(['rules/a.md', 'rules/', 'README.md', 'rules/b.md', 'other/', '../x'], owner);
  expect(results.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'unchanged', 'refused', 'refused', 'refused']);
  expect(results[3]?.reason).toMatch(/no such file/);
});

test('an edit that goes back and forth is adopted every time', async () => {
  const { vault, edit } = await openEditable();
  await write(vault, 'rules/a.md', rule('A'));
  for (const body of ['B', 'A', 'B', 'A', 'B']) {
    await edit('rules/a.md', rule(body));
    expect(await vault.adopt(null, owner)).toMatchObject([{ outcome: 'adopted' }]);
    expect((await vault.status()).rows).toEqual([]);
  }
  await edit('rules/a.md', null);
  await vault.adopt(null, owner);
  await edit('rules/a.md', rule('B'));
  await vault.adopt(null, owner);
  await edit('rules/a.md', null);
  await vault.adopt(null, owner);
  expect((await vault.status()).rows).toEqual([]);
  expect(await logOf(vault)).toHaveLength(9);
});

test('two adopters of one edit record it once', async () => {
  const { vault, edit } = await openEditable();
  await edit('rules/a.md', rule('a'));
  const results = await Promise.all([vault.adopt(null, owner), vault.adopt(null, owner)]);
  // One of them may find the edit level already.
  expect(new Set(results.flat().map(result => result.outcome))).toEqual(new Set(['adopted']));
  expect(await logOf(vault)).toHaveLength(1);
});

test('an invalid document, conflict markers, copies and stubs stay as they are, each with its reason', async () => {
  const { vault, edit } = await openEditable();
  await write(vault, 'rules/a.md', rule('a'));
  await edit('rules/a.md', rule('a').replace('name: tone\n', ''));
  await edit('rules/m.md', rule('<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other'));
  await edit('rules/a.sync-conflict-20260101-120000-ABCDEFG.md', rule('copy'));
  const results = await vault.adopt(null, owner);
  expect(results.map(({ path, outcome }) => [path, outcome])).toEqual([
    ['rules/a.md', 'refused'],
    ['rules/a.sync-conflict-20260101-120000-ABCDEFG.md', 'refused'],
    ['rules/m.md', 'refused'],
  ]);
  expect(results[0]?.problems?.map(problem => problem.field)).toContain('name');
  expect(results[2]?.reason).toMatch(/conflict markers/);
  expect(await logOf(vault)).toHaveLength(1);
});

test('who could not have written a document cannot adopt an edit of it', async () => {
  const { vault, edit } = await openEditable();
  await edit('rules/a.md', rule('a'));
  const clerk = person('admin:adopt', 'write:event', 'ssss:memory:*');
  expect(await vault.adopt(null, clerk)).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining('ssss:rule:create') }]);
  expect(await vault.adopt(null, person('ssss:*', 'write:event'))).toMatchObject([
    { outcome: 'refused', reason: expect.stringContaining('admin:adopt') },
  ]);
  expect(await vault.adopt(null, person('ssss:*', 'write:event', 'admin:adopt'))).toMatchObject([{ outcome: 'adopted' }]);
});

test('a document about rights is adopted only by a person who names it once more', async () => {
  const { vault, edit } = await openEditable();
  await edit('roles/cook/ROLE.md', role);
  expect(await vault.adopt(null, { ...owner, kind: 'agent' }, { confirmed: ['roles/cook/ROLE.md'] })).toMatchObject([
    { outcome: 'refused', reason: expect.stringContaining('only a person') },
  ]);
  expect(await vault.adopt(null, owner)).toMatchObject([{ outcome: 'needs_confirmation' }]);
  expect(await vault.adopt(null, owner, { confirmed: ['roles/cook/ROLE.md'] })).toMatchObject([{ outcome: 'adopted' }]);
});

test('an adopted role grants no more than who adopts it holds', async () => {
  const { vault, edit } = await openEditable();
  const path = 'roles/cook/ROLE.md';
  const confirmed = { confirmed: [path] };
  await edit(path, role.replace('ssss:rule:read', '*:*'));
  const keeper = person('ssss:*', 'write:event', 'admin:adopt');
  expect(await vault.adopt(null, keeper, confirmed)).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining('*:*') }]);
  expect(await logOf(vault)).toEqual([]);
  await edit(path, role);
  expect(await vault.adopt(null, keeper, confirmed)).toMatchObject([{ outcome: 'adopted' }]);
});

test('a role that was turned into something else by hand is given up only by who could have deleted it', async () => {
  const { vault, edit } = await openEditable();
  const path = 'roles/cook/ROLE.md';
  await write(vault, path, role);
  await edit(path, rule('no role any more'));
  const confirmed = { confirmed: [path] };
  expect(await vault.adopt(null, person('ssss:rule:*', 'write:event', 'admin:adopt'), confirmed)).toMatchObject([
    { outcome: 'refused', reason: expect.stringContaining('ssss:security_role:delete') },
  ]);
  expect(await vault.adopt(null, { ...owner, kind: 'agent' }, confirmed)).toMatchObject([{ outcome: 'refused' }]);
  expect(await vault.adopt(null, owner)).toMatchObject([{ outcome: 'needs_confirmation' }]);
  expect(await vault.adopt(null, owner, confirmed)).toMatchObject([{ outcome: 'adopted', action: 'replace' }]);
});

test('floors, step-up and confirmation hold for an adoption as for the write it stands for', async () => {
  const rules = { types: ['rule'] };
  const { vault, edit } = await openEditable({
    floors: [{ ...rules, capabilities: ['govern:rule'] }],
    confirm: [rules],
    step_up: [{ ...rules, assurance: 'verified' }],
  });
  await edit('rules/a.md', rule('a'));
  const confirmed = { confirmed: ['rules/a.md'] };
  const weak = { ...owner, authentication: { provider: 'test', assurance: 'none' } };
  expect(await vault.adopt(null, person('ssss:*', 'write:event', 'admin:adopt'), confirmed)).toMatchObject([
    { outcome: 'refused', reason: expect.stringContaining('govern:rule') },
  ]);
  expect(await vault.adopt(null, weak, confirmed)).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining('assurance') }]);
  expect(await vault.adopt(null, { ...owner, kind: 'agent' }, confirmed)).toMatchObject([{ outcome: 'refused' }]);
  expect(await vault.adopt(null, owner)).toMatchObject([{ outcome: 'needs_confirmation' }]);
  expect(await logOf(vault)).toEqual([]);
  expect(await vault.adopt(null, owner, confirmed)).toMatchObject([{ outcome: 'adopted' }]);
});

test('a policy that wants everything confirmed lets a confirmed adoption pass', async () => {
  const { vault, edit } = await openEditable({ confirm: [{}] });
  await edit('rules/a.md', rule('a'));
  expect(await vault.adopt(null, owner)).toMatchObject([{ outcome: 'needs_confirmation' }]);
  expect(await vault.adopt(null, owner, { confirmed: ['rules/a.md'] })).toMatchObject([{ outcome: 'adopted' }]);
});

test('a memory that a pending conflict contradicts is not made active by hand', async () => {
  const { vault, edit } = await openEditable();
  const shared = 'title: t\ndescription: d\ntimestamp: 2026-05-16T14:00:00Z\n';
  await write(
    vault,
    'conflicts/c.md',
    `---\ntype: conflict\n${shared}conflict_id: conflict-2026-05-16-001\nstatus: pending\nnew_slug: m\nexisting_slug: o\ndetected_at: 2026-05-16T14:00:00Z\n---\n`,
  );
  await edit('memory/m.md', `---\ntype: memory\n${shared}slug: m\ncategory: facts\nstatus: active\nschema_version: 1\n---\n`);
  expect(await vault.adopt(null, owner)).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining('conflicts/c.md') }]);
});

test('nobody records an adoption with an envelope of their own', async () => {
  const { vault } = await openEditable();
  const payload = { event_type: 'document_adopted', action: 'create', primitive_id: 'ssss:rule', before_hash: null, after_hash: null };
  const envelope = {
    type: 'event',
    workspace_id: 'ws-memory',
    idempotency_key: 'adopt-1',
    path: 'rules/a.md',
    content: JSON.stringify(payload),
  };
  expect(await vault.execute(envelope, { principal: owner })).toMatchObject({ error: { code: 'forbidden' } });
});
