import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { failureBody, type Principal, type Vault } from '#api';
import { isVaultError } from '#errors';
import { initVault, openMemoryVault, openVault } from '#open-vault';
import { registerEventStream } from './event-stream.ts';

const reader: Principal = {
  id: 'agent:reader',
  kind: 'agent',
  workspaceIds: ['ws-memory', 'ws'],
  capabilities: ['read:event', 'write:event'],
  authentication: { provider: 'test', assurance: 'verified' },
};

/** Stands for the guards and the registry of principals: what each token means can change while streams are open. */
const createTokens = () => {
  const principals = new Map<string, Principal>([['reader', reader]]);
  const watchers = new Map<string, Set<() => void>>();
  return {
    principals,
    authenticate: async (token: string) => principals.get(token) ?? null,
    watch(token: string, ended: () => void) {
      const all = watchers.get(token) ?? new Set();
      watchers.set(token, all.add(ended));
      return () => void all.delete(ended);
    },
    revoke(token: string) {
      principals.delete(token);
      for (const ended of watchers.get(token) ?? []) ended();
    },
    watched: () => [...watchers.values()].reduce((sum, all) => sum + all.size, 0),
  };
};

type Tokens = ReturnType<typeof createTokens>;

const serve = async (vault: Vault, tokens: Tokens = createTokens(), options: { heartbeatMs?: number; patienceMs?: number } = {}) => {
  const app = fastify() as unknown as FastifyInstance;
  app.decorateRequest('principal', null as never);
  app.decorateRequest('bearerToken', null);
  app.addHook('onRequest', async request => {
    request.bearerToken = request.headers.authorization?.slice('Bearer '.length) ?? null;
    Object.assign(request, { principal: await tokens.authenticate(request.bearerToken ?? '') });
  });
  app.setErrorHandler((error, _request, reply) =>
    reply
      .code(isVaultError(error) ? { unauthorized: 401, forbidden: 403, invalid_request: 400 }[error.code as 'forbidden'] : 500)
      .send(failureBody(isVaultError(error) ? error.code : 'internal_error', String(error))),
  );
  registerEventStream(app, { vault, authenticator: tokens, ...options });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  return { app, tokens, port: (app.server.address() as AddressInfo).port };
};

interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

const open = async (port: number, query = '', headers: Record<string, string> = {}) => {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(`http://127.0.0.1:${port}/v1/events/stream${query}`, {
    headers: { authorization: 'Bearer reader', ...headers },
    signal: controller.signal,
  });
  return { response, messages: messagesOf(response), leave: () => controller.abort() };
};

async function* messagesOf(response: Response): AsyncGenerator<Message> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const lines = text
        .slice(0, end)
        .split('\n')
        .filter(line => /^(?:id|event|data): /.test(line));
      text = text.slice(end + 2);
      yield Object.fromEntries(lines.map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
    }
  }
}

/** The next messages that carry data. */
const take = async (messages: AsyncGenerator<Message>, count: number): Promise<Message[]> => {
  const taken: Message[] = [];
  while (taken.length < count) {
    const { value, done } = await messages.next();
    if (done === true) break;
    if (value.data !== undefined) taken.push(value);
  }
  return taken;
};

const subjects = (messages: readonly Message[]): string[] =>
  messages.map(({ data = '' }) => (JSON.parse(data) as { subject: string }).subject);

let keys = 0;
const happen = async (vault: Vault, subject: string, extra: object = {}): Promise<string> => {
  keys += 1;
  const content = JSON.stringify({ event_type: 'happened', ...extra });
  const envelope = { type: 'event', workspace_id: vault.workspaceId, idempotency_key: `key-${keys}`, path: subject, content };
  const response = await vault.execute(envelope, { principal: { ...reader, capabilities: ['*:*'] } });
  if (!response.success || response.event_id === undefined) throw new Error(JSON.stringify(response));
  return response.event_id;
};

test('a stream gives what comes from now on: the canonical record, under its event id', async () => {
  const vault = await openMemoryVault();
  await happen(vault, 'before');
  const { port } = await serve(vault);
  const { response, messages } = await open(port);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const id = await happen(vault, 'after');
  const [message] = await take(messages, 1);
  expect(message?.id).toBe(id);
  expect(JSON.parse(message?.data ?? '')).toEqual(await vault.event(id));
});

test('a stream from the start gives everything, and a cursor of the log what follows it', async () => {
  const vault = await openMemoryVault();
  for (const subject of ['a', 'b', 'c']) await happen(vault, subject);
  const { port } = await serve(vault);
  expect(subjects(await take((await open(port, '?from=start')).messages, 3))).toEqual(['a', 'b', 'c']);
  let first = '';
  for await (const { cursor } of vault.events()) first ||= cursor;
  expect(subjects(await take((await open(port, `?cursor=${first}`)).messages, 2))).toEqual(['b', 'c']);
});

test('after a restart a client goes on behind the last event it saw, in a log of many segments too', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-stream-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  await initVault({ root, workspaceId: 'ws' });
  const stateDir = `${root}.state`;
  const before = await openVault({ root, stateDir });
  const first = await serve(before);
  const stream = await open(first.port, '?from=start');
  await happen(before, 'a');
  const [seen] = await take(stream.messages, 1);
  stream.leave();
  await happen(before, 'b');
  await first.app.close();
  await before.close();
  const after = await openVault({ root, stateDir });
  onTestFinished(() => after.close());
  await happen(after, 'c');
  const { port } = await serve(after);
  const resumed = await open(port, '', { 'last-event-id': seen?.id ?? '' });
  expect(subjects(await take(resumed.messages, 2))).toEqual(['b', 'c']);
});

test('an unknown Last-Event-ID and unknown parameters are refused before anything is streamed', async () => {
  const vault = await openMemoryVault();
  await happen(vault, 'a');
  const { port } = await serve(vault);
  for (const { response } of [
    await open(port, '', { 'last-event-id': 'nobody' }),
    await open(port, '?what=1'),
    await open(port, '?since=soon'),
  ]) {
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ success: false, error: { code: 'invalid_request' } });
  }
});

test('a stream of few among many events tells where it stands, so that coming back reads little', async () => {
  const vault = await openMemoryVault();
  const { port } = await serve(vault, createTokens(), { heartbeatMs: 20 });
  const stream = await open(port, '?subject=rules/');
  await happen(vault, 'tasks/a.md');
  const id = await happen(vault, 'rules/a.md');
  expect((await take(stream.messages, 1))[0]?.id).toBe(id);
  for (let count = 0; count < 50; count += 1) await happen(vault, 'tasks/a.md');
  const last = await vault.lastCursor();
  let place: string | undefined;
  while (place !== last) place = (await stream.messages.next()).value?.id as string | undefined;
  stream.leave();
  await happen(vault, 'rules/b.md');
  const resumed = await open(port, '?subject=rules/', { 'last-event-id': place ?? '' });
  expect(subjects(await take(resumed.messages, 1))).toEqual(['rules/b.md']);
});

test('who may not read events gets no stream, and a stream needs a token', async () => {
  const vault = await openMemoryVault();
  const { port, tokens } = await serve(vault);
  tokens.principals.set('writer', { ...reader, capabilities: ['write:event'] });
  expect((await open(port, '', { authorization: 'Bearer writer' })).response.status).toBe(403);
  expect((await open(port, '', { authorization: '' })).response.status).toBe(401);
});

test('a revoked token ends its stream and no other', async () => {
  const vault = await openMemoryVault();
  const { port, tokens } = await serve(vault);
  tokens.principals.set('other', reader);
  const revoked = await open(port);
  const other = await open(port, '', { authorization: 'Bearer other' });
  tokens.revoke('reader');
  const messages = [];
  for await (const message of revoked.messages) if (message.data !== undefined) messages.push(message);
  expect(messages).toMatchObject([{ event: 'end', data: expect.stringContaining('"code":"unauthorized"') }]);
  await happen(vault, 'later');
  expect(subjects(await take(other.messages, 1))).toEqual(['later']);
});

test('rights are asked for when an event is sent: what somebody may no longer read is not sent', async () => {
  const vault = await openMemoryVault();
  const { port, tokens } = await serve(vault);
  const { messages } = await open(port);
  tokens.principals.set('reader', { ...reader, capabilities: [] });
  await happen(vault, 'secret');
  expect(await take(messages, 2)).toMatchObject([{ event: 'end', data: expect.stringContaining('"code":"forbidden"') }]);
});

test('closing the server ends every stream, and a client that goes away leaves nothing behind', async () => {
  const vault = await openMemoryVault();
  const { app, port, tokens } = await serve(vault);
  const gone = await open(port);
  const staying = await open(port);
  gone.leave();
  await expect.poll(() => tokens.watched()).toBe(1);
  const closing = app.close();
  expect(await take(staying.messages, 2)).toMatchObject([{ event: 'end', data: expect.stringContaining('"code":"unavailable"') }]);
  expect(tokens.watched()).toBe(0);
  // fetch keeps a spare connection, which would hold up the end.
  app.server.closeAllConnections();
  await closing;
});

/** A client that sends its request and never reads. */
const connectDeaf = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await new Promise(resolve => socket.once('connect', resolve));
  socket.write('GET /v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer reader\r\n\r\n');
  return socket;
};

test('a client that takes nothing is let go; others get every event', async () => {
  const vault = await openMemoryVault();
  const { port, tokens } = await serve(vault, createTokens(), { patienceMs: 50 });
  await connectDeaf(port);
  const { messages } = await open(port);
  await expect.poll(() => tokens.watched()).toBe(2);
  const wide = 'x'.repeat(500_000);
  const got: string[] = [];
  for (let count = 0; got.length < 100 && (count < 10 || tokens.watched() > 1); count += 1) {
    await happen(vault, `s${count}`, { wide });
    got.push(...subjects(await take(messages, 1)));
  }
  await expect.poll(() => tokens.watched()).toBe(1);
  expect(got).toEqual(got.map((_, index) => `s${index}`));
});

test('hundreds of clients that never read hold no more than one event each, and every commit is answered', async () => {
  const vault = await openMemoryVault();
  const { app, port, tokens } = await serve(vault);
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => sockets.add(socket));
  for (let count = 0; count < 150; count += 1) await connectDeaf(port);
  await expect.poll(() => tokens.watched()).toBe(150);
  const { messages } = await open(port);
  const wide = 'x'.repeat(100_000);
  for (let count = 0; count < 40; count += 1) await happen(vault, `s${count}`, { wide });
  expect(await take(messages, 40)).toHaveLength(40);
  for (const { writableLength } of sockets) expect(writableLength).toBeLessThan(250_000);
});
