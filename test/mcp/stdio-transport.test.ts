import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { createMcpServer, createStdioTransport } from '../../src/server/mcp/index.ts';
import { agent, openVaultForTest, rule } from './mcp-client.ts';

type Answer = Readonly<Record<string, unknown>> & { readonly error?: { readonly code: number; readonly message: string } };

/** A transport on pipes of this process; what it prints is gathered. */
const openTransport = () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = createStdioTransport({ input, output });
  const answers = (): Answer[] =>
    String(output.read() ?? '')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as Answer);
  return { input, transport, answers };
};

const request = (id: number): string => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;

test('messages that arrive in pieces, even inside a character, are put together', async () => {
  const { input, transport } = openTransport();
  const seen: unknown[] = [];
  transport.onmessage = message => void seen.push(message);
  await transport.start();
  const message = { jsonrpc: '2.0', method: 'notifications/x', params: { text: 'ä👍é' } };
  for (const byte of Buffer.from(`${JSON.stringify(message)}\r\n\n`)) input.write(Buffer.of(byte));
  input.end();
  await transport.finished;
  expect(JSON.parse(JSON.stringify(seen))).toEqual([message]);
});

test('a line that is no message is answered where it stands, and the next one is read', async () => {
  const { input, transport, answers } = openTransport();
  const seen: unknown[] = [];
  transport.onmessage = message => void seen.push(message);
  await transport.start();
  input.write('no JSON\n');
  input.write(Buffer.concat([Buffer.from('"'), Buffer.of(0xff), Buffer.from('"\n')]));
  input.write('{"jsonrpc":"2.0"}\n');
  input.write(`"${'x'.repeat(17 * 1024 * 1024)}"\n`);
  input.write(`${'['.repeat(5000)}\n`);
  input.end('{"jsonrpc":"2.0","method":"notifications/x"}');
  await transport.finished;
  expect(answers().map(({ error }) => [error?.code, error?.message.replace(/JSON: .*/, 'JSON')])).toEqual([
    [-32700, 'line 1: not JSON'],
    [-32700, 'line 2: the bytes are not valid UTF-8'],
    [-32700, 'line 3: not a JSON-RPC message'],
    [-32700, 'line 4: longer than 16 MiB'],
    [-32700, 'line 5: not JSON'],
  ]);
  expect(seen).toHaveLength(1);
});

test('no more than 64 requests are taken before one is answered, and the end waits for the last answer', async () => {
  const { input, transport } = openTransport();
  const taken: number[] = [];
  transport.onmessage = message => void taken.push((message as { id: number }).id);
  await transport.start();
  for (let id = 0; id < 100; id += 1) input.write(request(id));
  input.end();
  const answer = (id: number): Promise<void> => transport.send({ jsonrpc: '2.0', id, result: {} });
  while (taken.length < 64) await setImmediate();
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  expect(taken).toHaveLength(64);
  let ended = false;
  void transport.finished.then(() => (ended = true));
  for (let id = 0; id < 99; id += 1) {
    while (taken.length <= id) await setImmediate();
    await answer(id);
  }
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  expect([taken.length, ended]).toEqual([100, false]);
  await answer(99);
  await transport.finished;
});

test('a request that was cancelled keeps nobody waiting', async () => {
  const { input, transport } = openTransport();
  transport.onmessage = () => undefined;
  await transport.start();
  input.write(request(1));
  input.end(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })}\n`);
  await transport.finished;
});

test('an envelope reaches the kernel as it was sent: a member called __proto__ is a name like any other', async () => {
  const vault = await openVaultForTest();
  const principal = agent('agent:a');
  const given = { type: 'operation', workspace_id: 'ws-memory', idempotency_key: 'given', path: 'rules/a.md', content: rule('A') };
  await vault.execute(given, { principal });
  const { input, transport, answers } = openTransport();
  await createMcpServer({ vault, caller: { principal } }).connect(transport);
  const envelope = `{"type":"patch","workspace_id":"ws-memory","idempotency_key":"k","path":"rules/a.md","patches":{"__proto__":{"x":1}}}`;
  input.end(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit_envelope","arguments":{"envelope":${envelope}}}}\n`);
  await transport.finished;
  const [reply] = answers() as { result: { content: { text: string }[] } }[];
  const stored = JSON.parse(/\n(\{.*\})\n/.exec(reply?.result.content[0]?.text ?? '')?.[1] ?? '{}') as object;
  // JSON.parse makes it an own member, too; a copy by assignment would lose it.
  const replayed = await vault.execute(JSON.parse(envelope), { principal });
  expect({ ...stored, operation_id: '', replay: true }).toEqual({ replay: true, ...replayed, operation_id: '' });
  const changed = (await vault.read('rules/a.md'))?.text;
  expect(replayed.success ? changed?.includes('__proto__') : changed === rule('A')).toBe(true);
});

test('nothing is said before a message came', async () => {
  const { input, transport, answers } = openTransport();
  const messages: JSONRPCMessage[] = [];
  transport.onmessage = message => void messages.push(message);
  await transport.start();
  input.end('\n\r\n   \n');
  await transport.finished;
  expect([answers(), messages]).toEqual([[], []]);
});
