import { expect, test } from 'vitest';
import { openMemoryVault } from '#open-vault';
import type { Call } from '../call.ts';
import { runCall } from '../call.ts';
import type { Vault } from '../vault.ts';
import { blameDocument, collectHistory, diffDocument, gitHistory, readPast, showChange, undoEvent } from './history-calls.ts';

const principal = (...capabilities: string[]) => ({
  principal: {
    id: 'u1',
    kind: 'agent' as const,
    workspaceIds: ['ws-memory'],
    capabilities,
    authentication: { provider: 'test', assurance: 'verified' },
  },
});
const owner = { principal: { ...principal('*:*').principal, kind: 'human' as const } };
const memory = (body: string, type = 'memory'): string =>
  type === 'memory'
    ? `---\ntype: memory\ntitle: M\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nslug: m\ncategory: facts\nstatus: active\nschema_version: 1\n---\n${body}`
    : `---\ntype: rule\ntitle: M\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nname: m\n---\n${body}`;

let keys = 0;
const submit = async (vault: Vault, envelope: object): Promise<string> => {
  keys += 1;
  const response = await vault.execute({ workspace_id: 'ws-memory', idempotency_key: `k${keys}`, ...envelope }, owner);
  expect(response).toMatchObject({ success: true });
  return (response as { event_id: string }).event_id;
};

const ask = async (vault: Vault, call: unknown, caller: object, input: object): Promise<string> => {
  try {
    await runCall(call as Call, vault, caller as { principal: unknown }, input);
    return 'done';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test('the past is read with read:event and the right to read the document, and refused without either', async () => {
  const vault = await openMemoryVault();
  const path = 'memory/m.md';
  const id = await submit(vault, { type: 'operation', path, content: memory('One.\n') });
  const asked = [
    [showChange, { event_id: id }],
    [readPast, { path, at: id }],
    [diffDocument, { path }],
    [diffDocument, { path, from: id }],
    [blameDocument, { path }],
    [undoEvent, { event_id: id, dry_run: true }],
  ] as const;
  for (const [call, input] of asked) {
    expect(await ask(vault, call, owner, input)).toBe('done');
    expect(await ask(vault, call, principal('read:event', 'ssss:memory:*'), input)).toBe('done');
    expect(await ask(vault, call, principal('ssss:memory:*'), input)).toBe('forbidden');
    expect(await ask(vault, call, principal('read:event', 'ssss:rule:*'), input)).toBe('forbidden');
    expect(await ask(vault, call, { principal: null }, input)).toBe('unauthorized');
  }
});

test('a path that was of two types in its past is shown to whoever may read both', async () => {
  const vault = await openMemoryVault();
  const path = 'notes/m.md';
  const first = await submit(vault, { type: 'operation', path, content: memory('Secret.\n') });
  await submit(vault, { type: 'delete', path });
  const second = await submit(vault, { type: 'operation', path, content: memory('Open.\n', 'rule') });
  const rules = principal('read:event', 'ssss:rule:*');
  expect(await ask(vault, readPast, rules, { path, at: second })).toBe('done');
  expect(await ask(vault, readPast, rules, { path, at: first })).toBe('forbidden');
  expect(await ask(vault, diffDocument, rules, { path, from: first, to: second })).toBe('forbidden');
});

test('whoever may not see everything is told the same of what is hidden and of what never was', async () => {
  const vault = await openMemoryVault();
  const id = await submit(vault, { type: 'operation', path: 'memory/m.md', content: memory('One.\n') });
  const rules = principal('read:event', 'ssss:rule:*');
  for (const call of [blameDocument, diffDocument] as const)
    for (const path of ['memory/m.md', 'memory/none.md']) expect(await ask(vault, call, rules, { path })).toBe('forbidden');
  expect(await ask(vault, readPast, rules, { path: 'memory/none.md', at: id })).toBe('forbidden');
  expect(await ask(vault, blameDocument, owner, { path: 'memory/none.md' })).toBe('not_found');
  expect(await ask(vault, blameDocument, owner, { path: '../outside.md' })).toBe('invalid_request');
});

test('an undo that is refused has changed nothing, whoever asked', async () => {
  const vault = await openMemoryVault();
  await submit(vault, { type: 'operation', path: 'memory/m.md', content: memory('One.\n') });
  const replaced = await submit(vault, { type: 'operation', path: 'memory/m.md', content: memory('Two.\n') });
  const writer = principal('read:event', 'ssss:memory:replace');
  expect(await ask(vault, undoEvent, writer, { event_id: replaced })).toBe('forbidden');
  expect((await vault.read('memory/m.md'))?.text).toBe(memory('Two.\n'));
});

test('keeping within the limit and git are for admin:history, and switching git on for a person', async () => {
  const vault = await openMemoryVault();
  expect(await ask(vault, collectHistory, principal('admin:history'), {})).toBe('done');
  expect(await ask(vault, collectHistory, principal('read:event'), {})).toBe('forbidden');
  expect(await ask(vault, gitHistory, principal('read:event'), { action: 'on' })).toBe('forbidden');
  expect(await ask(vault, gitHistory, owner, { action: 'status' })).toBe('invalid_request');
});
