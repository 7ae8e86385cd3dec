import { expect, test } from 'vitest';
import { createMcpSessions } from '../../src/server/mcp/mcp-sessions.ts';
import { agent, eventsOf, openVaultForTest, serveHttp } from './mcp-client.ts';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const event = (id: number, subject = 'orders/1') => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'record_event', arguments: { subject } },
});

type Body = Readonly<Record<string, unknown>> & { readonly error?: { readonly code: unknown } };

const openServer = async () => {
  const vault = await openVaultForTest();
  const { app } = await serveHttp(vault, { a: agent('agent:a'), b: agent('agent:b') });
  const send = async (
    token: string,
    payload: unknown,
    headers: Record<string, string> = {},
    method: 'POST' | 'GET' | 'DELETE' = 'POST',
  ) => {
    const reply = await app.inject({
      method,
      url: '/mcp',
      headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream', ...headers },
      ...(method === 'POST' ? { payload: payload as object } : {}),
    });
    return { status: reply.statusCode, headers: reply.headers, body: reply.body === '' ? null : (reply.json() as Body) };
  };
  const open = async (token: string): Promise<string> => String((await send(token, initialize)).headers['mcp-session-id']);
  return { vault, send, open };
};

test("a session belongs to the principal that opened it; another's token finds nothing there", async () => {
  const { vault, send, open } = await openServer();
  const session = await open('a');
  const foreign = await send('b', event(2), { 'mcp-session-id': session });
  const unknown = await send('b', event(2), { 'mcp-session-id': 'no-such-session' });
  expect([foreign.status, unknown.status]).toEqual([404, 404]);
  expect({ ...foreign.body, operation_id: '' }).toEqual({ ...unknown.body, operation_id: '' });
  expect(foreign.body).toMatchObject({ success: false, error: { code: 'not_found' } });
  expect((await send('b', null, { 'mcp-session-id': session }, 'DELETE')).status).toBe(404);
  const own = await send('a', event(3), { 'mcp-session-id': session });
  expect(own.status).toBe(200);
  expect((await eventsOf(vault)).map(({ principal }) => principal.id)).toEqual(['agent:a']);
});

test('without a session, without a principal, and after its end nothing is called', async () => {
  const { vault, send, open } = await openServer();
  const session = await open('a');
  expect((await send('a', event(2))).body).toMatchObject({ error: { code: 'invalid_request' } });
  expect((await send('nobody', event(2), { 'mcp-session-id': session })).status).toBe(401);
  expect((await send('a', null, { 'mcp-session-id': session }, 'DELETE')).status).toBe(204);
  expect((await send('a', event(2), { 'mcp-session-id': session })).status).toBe(404);
  expect(await eventsOf(vault)).toEqual([]);
});

test('nothing is pushed: GET is answered with 405', async () => {
  const { send, open } = await openServer();
  const reply = await send('a', null, { 'mcp-session-id': await open('a') }, 'GET');
  expect([reply.status, reply.headers.allow, reply.body?.error?.code]).toEqual([405, 'POST, DELETE', 'method_not_allowed']);
});

test('what is no message, an unknown version and a batch with initialize are refused; a batch is answered as one', async () => {
  const { send, open } = await openServer();
  const session = { 'mcp-session-id': await open('a') };
  for (const body of [{}, { jsonrpc: '1.0' }, [], [7]]) expect((await send('a', body, session)).status, JSON.stringify(body)).toBe(400);
  expect((await send('a', event(2), { ...session, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  expect((await send('a', [initialize, event(2)], session)).status).toBe(400);
  const batch = await send('a', [event(2), event(3, 'orders/2')], session);
  expect((batch.body as unknown as { id: number }[]).map(({ id }) => id).sort((left, right) => left - right)).toEqual([2, 3]);
  expect((await send('a', { jsonrpc: '2.0', method: 'notifications/initialized' }, session)).status).toBe(202);
});

test('sessions are forgotten when they are not used for half a day, and the least used when one principal opens too many', () => {
  let now = 0;
  const sessions = createMcpSessions(() => now);
  const other = sessions.open('b');
  const first = sessions.open('a');
  const kept = sessions.open('a');
  for (let index = 0; index < 98; index += 1) sessions.open('a');
  expect(sessions.isOwn(kept, 'a')).toBe(true);
  sessions.open('a');
  expect([sessions.isOwn(first, 'a'), sessions.isOwn(kept, 'a'), sessions.isOwn(other, 'b')]).toEqual([false, true, true]);
  now += 11 * 3_600_000;
  expect(sessions.isOwn(kept, 'a')).toBe(true);
  now += 11 * 3_600_000;
  expect([sessions.isOwn(kept, 'a'), sessions.isOwn(other, 'b')]).toEqual([true, false]);
});

test('a request that its own batch cancels is answered all the same, so that no connection waits for ever', async () => {
  const { send } = await openServer();
  const { headers } = await send('a', initialize);
  const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  const { status, body } = await send('a', [event(2), cancelled], session);
  expect(status).toBe(200);
  expect(body).toMatchObject([{ id: 2, result: {} }]);
});
