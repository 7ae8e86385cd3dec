import { expect, test } from 'vitest';
import { openMemoryVault } from '#open-vault';
import { runCall } from './call.ts';
import { type CallName, calls } from './calls/all-calls.ts';
import type { Vault } from './vault.ts';

const rule = (body: string, extra = '') =>
  `---\ntype: rule\nname: tone\ntitle: Tone\ndescription: How we write\ntimestamp: 2026-05-16T14:00:00Z\nslug: tone\n${extra}---\n${body}\n`;
const principal = (...capabilities: string[]) => ({
  id: 'u1',
  kind: 'human' as const,
  workspaceIds: ['ws-memory'],
  capabilities,
  authentication: { provider: 'test', assurance: 'verified' },
});

/** Runs a call as a surface does, and holds its answer against the declared schema. */
const run = async (vault: Vault, caller: unknown, name: CallName, input: unknown): Promise<Record<string, unknown>> => {
  const call = calls[name];
  const answer = await runCall(call as never, vault, { principal: caller }, input);
  return call.output.parse(answer) as Record<string, unknown>;
};

let keys = 0;
const write = async (vault: Vault, path: string, content: string) => {
  const envelope = { type: 'operation', workspace_id: vault.workspaceId, idempotency_key: `k${keys++}`, path, content };
  const response = await vault.execute(envelope, { principal: principal('*:*') });
  expect(response).toMatchObject({ success: true });
};

const vaultWith = async (documents: Readonly<Record<string, string>>) => {
  const vault = await openMemoryVault();
  for (const [path, content] of Object.entries(documents)) await write(vault, path, content);
  return vault;
};

test('every call is declared under its own name, with a summary', () => {
  for (const [name, call] of Object.entries(calls)) {
    expect(call.name).toBe(name);
    expect(call.summary).toMatch(/\.$/);
  }
});

test('input that does not fit a schema is refused by every member that is wrong', async () => {
  const vault = await openMemoryVault();
  await expect(run(vault, principal('*:*'), 'document.list', { limit: 0, prefx: 'a' })).rejects.toMatchObject({
    code: 'invalid_request',
    details: { issues: expect.arrayContaining([expect.objectContaining({ field: 'limit' })]) },
  });
});

test('a document is read with its exact text, hash and qualified type', async () => {
  const vault = await vaultWith({ 'rules/a.md': rule('Be kind.') });
  const read = await run(vault, principal('ssss:rule:read'), 'document.read', { path: 'rules/a.md' });
  expect(read).toMatchObject({ path: 'rules/a.md', kind: 'document', type: 'ssss:rule', content: rule('Be kind.') });
  expect(read.hash).toMatch(/^sha256:/);
});

test('a call without a principal is unauthorized, and one of another workspace forbidden', async () => {
  const vault = await vaultWith({ 'rules/a.md': rule('a') });
  for (const bad of [null, {}, { ...principal('*:*'), authentication: null }]) {
    await expect(run(vault, bad, 'document.read', { path: 'rules/a.md' })).rejects.toMatchObject({ code: 'unauthorized' });
  }
  await expect(run(vault, { ...principal('*:*'), workspaceIds: ['ws-b'] }, 'document.list', {})).rejects.toMatchObject({
    code: 'forbidden',
  });
});

test('hidden and absent documents get the same refusal; who may read everything learns what is absent', async () => {
  const vault = await vaultWith({ 'rules/a.md': rule('a') });
  const refusal = async (path: string): Promise<readonly unknown[]> => {
    const error = await run(vault, principal('ssss:memory:*'), 'document.read', { path }).catch(caught => caught);
    return [error.code, error.message.replaceAll(path, 'PATH'), error.details];
  };
  expect(await refusal('rules/a.md')).toEqual(await refusal('rules/zz.md'));
  expect(await refusal('rules')).toEqual(await refusal('rules/zz.md'));
  expect(await refusal('rules/a.md/b.md')).toEqual(await refusal('rules/zz.md'));
  expect((await refusal('rules/a.md'))[0]).toBe('forbidden');
  await expect(run(vault, principal('*:*'), 'document.read', { path: 'rules/zz.md' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(run(vault, principal(), 'document.read', { path: '.ssss/workspace.json' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('checking a primitive tells whoever may read only primitives nothing about other documents', async () => {
  const vault = await vaultWith({ 'rules/a.md': rule('a') });
  const refusal = async (path: string): Promise<readonly unknown[]> => {
    const error = await run(vault, principal('ssss:primitive:read'), 'primitive.check', { path }).catch(caught => caught);
    return [error.code, error.message.replaceAll(path, 'PATH'), error.details];
  };
  expect((await refusal('rules/zz.md'))[0]).toBe('forbidden');
  for (const path of ['rules/a.md', 'rules', 'rules/a.md/b.md']) expect(await refusal(path)).toEqual(await refusal('rules/zz.md'));
});

test('a listing of an unsafe directory is refused to everybody alike', async () => {
  const vault = await vaultWith({ 'rules/a.md': rule('a') });
  for (const caller of [principal(), principal('*:*')])
    await expect(run(vault, caller, 'document.list', { prefix: '../x/' })).rejects.toMatchObject({ code: 'invalid_request' });
});

test('lists hold only what the caller may read, in pages that continue', async () => {
  const vault = await vaultWith({ 'rules/a.md': rule('a'), 'rules/b.md': rule('b'), 'rules/c.md': rule('c'), 'index.md': '- [[a]]\n' });
  const reader = principal('ssss:rule:*');
  const first = await run(vault, reader, 'document.list', { limit: 2 });
  expect(first).toMatchObject({ documents: [{ path: 'rules/a.md' }, { path: 'rules/b.md' }], cursor: 'rules/b.md' });
  const second = await run(vault, reader, 'document.list', { limit: 2, cursor: first.cursor });
  expect(second).toMatchObject({ documents: [{ path: 'rules/c.md', type: 'ssss:rule', title: 'Tone' }], cursor: null });
  expect(await run(vault, principal('ssss:index:read'), 'document.list', {})).toMatchObject({
    documents: [{ path: 'index.md', type: 'ssss:index' }],
  });
  expect(await run(vault, principal('*:*'), 'document.list', { type: 'rule', prefix: 'rules' })).toMatchObject({
    documents: { length: 3 },
  });
  await expect(run(vault, reader, 'document.list', { type: 'nonsense' })).rejects.toThrow(/Unknown type 'nonsense'/);
});

test('the tree shows directories once, before what lies in them', async () => {
  const vault = await vaultWith({ 'rules/deep/a.md': rule('a'), 'rules/deep/b.md': rule('b'), 'top.md': rule('t') });
  const { rows } = (await run(vault, principal('*:*'), 'document.tree', {})) as {
    rows: { depth: number; name: string; directory: boolean }[];
  };
  expect(rows.map(row => `${' '.repeat(row.depth)}${row.name}${row.directory ? '/' : ''}`)).toEqual([
    'rules/',
    ' deep/',
    '  a.md',
    '  b.md',
    'top.md',
  ]);
});

test('an extension that declares its own capability for reading is read with that one', async () => {
  const extensions = [
    {
      registry: 'acme',
      version: '1.0.0',
      primitives: { booking: { portability: 'tenant_private', capabilities: { read: ['acme.desk:look'] } } },
    },
  ];
  const vault = await openMemoryVault({ extensions });
  await write(vault, 'b.md', rule('b').replace('type: rule', 'type: acme:booking'));
  await expect(run(vault, principal('acme:booking:read'), 'document.read', { path: 'b.md' })).rejects.toMatchObject({ code: 'forbidden' });
  expect(await run(vault, principal('acme.desk:look'), 'document.read', { path: 'b.md' })).toMatchObject({ type: 'acme:booking' });
});

test('an envelope goes to the kernel untouched, and every failure is a response', async () => {
  const vault = await openMemoryVault();
  const submit = (input: unknown, caller: unknown = principal('*:*')) => run(vault, caller, 'envelope.submit', input);
  const envelope = { type: 'operation', workspace_id: 'ws-memory', idempotency_key: 'k', path: 'rules/a.md', content: rule('a') };
  expect(await submit({ envelope, if_match: null, correlation_id: 'flow' })).toMatchObject({
    success: true,
    validation: { type: 'ssss:rule' },
  });
  expect(await submit({ envelope: 'nonsense' })).toMatchObject({ success: false, error: { code: 'invalid_request' } });
  expect(await submit({ envelope }, null)).toMatchObject({ success: false, error: { code: 'unauthorized' } });
  expect(await submit({ envelope: { ...envelope, idempotency_key: 'k2' }, if_match: 'sha256:0' })).toMatchObject({
    error: { code: 'version_conflict' },
  });
  expect(await submit({ envelope: { ...envelope, idempotency_key: 'k3' }, causation_id: 'nothing' })).toMatchObject({
    error: { code: 'invalid_request' },
  });
});

test('events are listed, shown and traced with read:event only', async () => {
  const vault = await vaultWith({ 'rules/a.md': rule('a'), 'rules/b.md': rule('b') });
  const reader = principal('read:event');
  const { events } = (await run(vault, reader, 'event.list', {})) as {
    events: { event_id: string; subject: string; correlation_id: string }[];
  };
  expect(events.map(event => event.subject)).toEqual(['rules/a.md', 'rules/b.md']);
  expect(await run(vault, reader, 'event.list', { subject: 'rules/b.md' })).toMatchObject({ events: { length: 1 } });
  expect(await run(vault, reader, 'event.list', { subject: 'rules/' })).toMatchObject({ events: { length: 2 } });
  expect(await run(vault, reader, 'event.list', { since: '2999-01-01' })).toMatchObject({ events: { length: 0 } });
  expect(await run(vault, reader, 'event.list', { correlation_id: events[1]?.correlation_id })).toMatchObject({ events: { length: 1 } });
  await expect(run(vault, reader, 'event.list', { since: 'yesterday' })).rejects.toThrow(/not an ISO 8601/);
  const page = await run(vault, reader, 'event.list', { limit: 1 });
  expect(page).toMatchObject({ events: [{ subject: 'rules/a.md' }], more: true });
  expect(await run(vault, reader, 'event.list', { limit: 1, cursor: page.cursor })).toMatchObject({
    events: [{ subject: 'rules/b.md' }],
    more: false,
  });
  const id = events[0]?.event_id;
  expect(await run(vault, reader, 'event.show', { event_id: id })).toMatchObject({ event_id: id });
  expect(await run(vault, reader, 'event.trace', { id })).toMatchObject({ by: 'event', nodes: [{ depth: 0, focus: true }] });
  await expect(run(vault, reader, 'event.trace', { id: 'nothing' })).rejects.toMatchObject({ code: 'not_found' });
  for (const name of ['event.list', 'event.show', 'event.trace'] as const) {
    const input = { 'event.list': {}, 'event.show': { event_id: id }, 'event.trace': { id } }[name];
    await expect(run(vault, principal('ssss:*'), name, input)).rejects.toMatchObject({
      code: 'forbidden',
      details: { missing: ['read:event'] },
    });
  }
});
