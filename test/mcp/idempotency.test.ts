import { expect, test } from 'vitest';
import { keyOfCall } from '../../src/server/mcp/idempotency-key.ts';
import { agent, callTool, connectAs, eventsOf, openVaultForTest, rule, thread } from './mcp-client.ts';

test('a call with its own key is applied once, however often it is sent', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  const call = { subject: 'orders/1', payload: { paid: true }, idempotency_key: 'pay-1' };
  const first = await callTool(client, 'record_event', call);
  const second = await callTool(client, 'record_event', call);
  expect(second.json()).toEqual({ ...first.json(), replay: true });
  expect((await eventsOf(vault)).map(event => event.idempotency_key)).toEqual(['pay-1']);
});

test('one key for two different requests is refused', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  await callTool(client, 'record_event', { subject: 'orders/1', idempotency_key: 'k' });
  const other = await callTool(client, 'record_event', { subject: 'orders/2', idempotency_key: 'k' });
  expect(other.said).toMatchObject({ refused: 'idempotency_conflict', remedy: expect.stringContaining('new idempotency_key') });
});

test('a call with a base hash that is repeated after a lost reply is answered, not refused as stale', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  await callTool(client, 'write_document', { path: 'rules/tone.md', content: rule('Tone') });
  const { said } = await callTool(client, 'read_document', { path: 'rules/tone.md' });
  const call = { path: 'rules/tone.md', content: rule('Tone', 'New.\n'), base_hash: said.hash };
  const first = await callTool(client, 'write_document', call);
  const second = await callTool(client, 'write_document', call);
  expect(second.json()).toEqual({ ...first.json(), replay: true });
  expect(second.said.idempotency_key).toBe(first.said.idempotency_key);
  expect(await eventsOf(vault)).toHaveLength(2);
});

test('the same append twice without a key is two appends, each under a key that the reply names', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  await callTool(client, 'write_document', { path: 'threads/t1/CONVERSATION.md', content: thread });
  const call = { path: 'threads/t1/CONVERSATION.md', text: '### turn 2 — user — 2026-05-16T14:01:00Z\nAgain.\n' };
  const first = await callTool(client, 'append_record', call);
  const second = await callTool(client, 'append_record', call);
  expect((await vault.read(call.path))?.text.split('Again.').length).toBe(3);
  expect(first.said.idempotency_key).not.toBe(second.said.idempotency_key);
  const retried = await callTool(client, 'append_record', { ...call, idempotency_key: second.said.idempotency_key });
  expect(retried.json()).toMatchObject({ success: true, replay: true });
  expect((await vault.read(call.path))?.text.split('Again.').length).toBe(3);
});

test('a derived key changes with the principal, the tool, the arguments and the base, and with nothing else', () => {
  const call = { path: 'a.md', set: { x: 1, y: [2] }, base_hash: 'sha256:1' };
  const key = (principal: string, tool: string, input: Record<string, unknown>) => keyOfCall(principal, tool, input).key;
  const base = key('agent:a', 'patch_document', call);
  expect(key('agent:a', 'patch_document', { base_hash: 'sha256:1', set: { y: [2], x: 1 }, path: 'a.md' })).toBe(base);
  expect(key('agent:a', 'patch_document', { ...call, dry_run: true, intent: 'why', lease_id: 'l', operation_id: 'o' })).toBe(base);
  const others = [
    key('agent:b', 'patch_document', call),
    key('agent:a', 'write_document', call),
    key('agent:a', 'patch_document', { ...call, path: 'b.md' }),
    key('agent:a', 'patch_document', { ...call, set: { x: 1, y: ['2'] } }),
    key('agent:a', 'patch_document', { ...call, base_hash: 'sha256:2' }),
  ];
  expect(new Set([base, ...others]).size).toBe(6);
});

test('a replayed write says that the document may hold something else by now, and how to apply it again', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  await callTool(client, 'write_document', { path: 'rules/tone.md', content: rule('Tone') });
  const { said } = await callTool(client, 'read_document', { path: 'rules/tone.md' });
  const forth = { path: 'rules/tone.md', content: rule('Tone', 'B.\n'), base_hash: said.hash };
  await callTool(client, 'write_document', forth);
  const now = await callTool(client, 'read_document', { path: 'rules/tone.md' });
  await callTool(client, 'write_document', { path: 'rules/tone.md', content: rule('Tone'), base_hash: now.said.hash });
  const replayed = await callTool(client, 'write_document', forth);
  expect(replayed.json()).toMatchObject({ replay: true });
  expect(replayed.text).toContain('idempotency_key of your own');
  expect((await callTool(client, 'write_document', { ...forth, idempotency_key: 'again' })).json()).not.toHaveProperty('replay');
  expect((await vault.read('rules/tone.md'))?.text).toBe(rule('Tone', 'B.\n'));
});
