import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { openMemoryVault } from '#open-vault';
import { type Answer, freshKey, operation, rule, type Served, serve } from './served-vault.ts';

const ndjson = { method: 'POST', headers: { 'content-type': 'application/x-ndjson' } } as const;

const answersOf = async (answer: Response): Promise<readonly Answer[]> =>
  (await answer.text())
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Answer);

/** A request whose body stays open: lines go in one by one, answers come out one by one. */
const openStream = async (served: Served, token: string) => {
  const outgoing = httpRequest(`${served.origin}/v1/envelopes/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
  });
  outgoing.on('error', () => undefined);
  outgoing.flushHeaders();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const lines = createInterface({ input: incoming })[Symbol.asyncIterator]();
  return {
    outgoing,
    incoming,
    send: (value: unknown) => outgoing.write(`${JSON.stringify(value)}\n`),
    next: async () => {
      const { value, done } = await lines.next();
      return done === true ? null : (JSON.parse(value as string) as Answer);
    },
  };
};

test('one response per line, in input order, with the place of every line that is no envelope', async () => {
  const { request } = await serve();
  const lines = [
    JSON.stringify(operation('rules/a.md')),
    'not JSON',
    JSON.stringify({ envelope: operation('rules/a.md', rule('Second.')), if_match: null, correlation_id: 'job' }),
    '{"path":"x","path":"y"}',
    JSON.stringify(operation('rules/b.md')),
  ];
  const answer = await request('/v1/envelopes/stream', { ...ndjson, body: lines.join('\n') });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const answers = await answersOf(answer);
  expect(answers.map(({ error, path }) => error?.code ?? path)).toEqual([
    'rules/a.md',
    'invalid_request',
    'version_conflict',
    'invalid_request',
    'rules/b.md',
  ]);
  expect(answers[1]?.repair?.field_errors[0]).toMatchObject({ line: 2 });
  expect(answers[3]?.error?.message).toContain('line 4');
});

test('lines about one path run in input order, however many run at once', async () => {
  const { request, vault } = await serve();
  const lines = Array.from({ length: 60 }, (_, index) => JSON.stringify(operation(`rules/${index % 3}.md`, rule(`Version ${index}.`))));
  const answers = await answersOf(await request('/v1/envelopes/stream', { ...ndjson, body: lines.join('\n') }));
  expect(answers.map(({ path }) => path)).toEqual(Array.from({ length: 60 }, (_, index) => `rules/${index % 3}.md`));
  for (const [name, last] of [
    ['0', 57],
    ['1', 58],
    ['2', 59],
  ])
    expect((await vault.read(`rules/${name}.md`))?.text).toContain(`Version ${last}.`);
});

test('an answer comes while the request is still being sent', async () => {
  const served = await serve();
  const stream = await openStream(served, await served.admit('streamer'));
  stream.send(operation('rules/a.md'));
  expect(await stream.next()).toMatchObject({ success: true, path: 'rules/a.md' });
  stream.send(operation('rules/b.md'));
  expect(await stream.next()).toMatchObject({ success: true, path: 'rules/b.md' });
  stream.outgoing.end();
  expect(await stream.next()).toBeNull();
});

test('a client that takes no answers makes the server stop reading', async () => {
  const served = await serve({ settings: { streamPendingBytes: 64 * 1024 } });
  const token = await served.admit('deaf');
  const socket = connect(served.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  socket.write(
    `POST /v1/envelopes/stream HTTP/1.1\r\nHost: 127.0.0.1:${served.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  // A wrong envelope costs no commit, and its answer is longer than it is.
  const line = `${JSON.stringify({ type: 'x', padding: 'p'.repeat(900) })}\n`;
  const chunk = `${(line.length * 64).toString(16)}\r\n${line.repeat(64)}\r\n`;
  let sent = 0;
  const most = 256 * 1024 * 1024;
  while (sent < most) {
    if (!socket.write(chunk)) {
      const flowing = await Promise.race([once(socket, 'drain').then(() => true), stalled(socket)]);
      if (!flowing) break;
    }
    sent += chunk.length;
  }
  expect(sent).toBeLessThan(most);
  socket.destroy();
});

/** Resolves with false once nothing was written to the socket for a while. */
const stalled = async (socket: { readonly bytesWritten: number; readonly writableLength: number }): Promise<false> => {
  for (let before = -1; before !== socket.writableLength; ) {
    before = socket.writableLength;
    await new Promise(resolve => setTimeout(resolve, 300));
  }
  return false;
};

test('an envelope beyond the bound is refused in its place and the stream goes on', async () => {
  const { request } = await serve({ settings: { maxBodyBytes: 2048 } });
  const body = [JSON.stringify(operation('rules/a.md', 'x'.repeat(5000))), JSON.stringify(operation('rules/b.md'))].join('\n');
  const answers = await answersOf(await request('/v1/envelopes/stream', { ...ndjson, body }));
  expect(answers).toMatchObject([{ error: { code: 'invalid_request' } }, { success: true, path: 'rules/b.md' }]);
});

test('a stream that breaks off keeps what was whole and applies nothing of the half line', async () => {
  const served = await serve();
  const stream = await openStream(served, await served.admit('streamer'));
  const whole = operation('rules/a.md');
  stream.send(whole);
  expect(await stream.next()).toMatchObject({ success: true });
  stream.outgoing.write(JSON.stringify(operation('rules/half.md')).slice(0, -5));
  stream.outgoing.destroy();
  const again = await served.submit(whole, { token: (await served.vault.principals.rotate('streamer')).token });
  expect(again.body).toMatchObject({ replay: true });
  expect(await served.vault.read('rules/half.md')).toBeNull();
});

test('closing the server finishes the envelopes that were begun, answers them, and takes no more', async () => {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>(resolve => (letGo = resolve));
  const entered: (() => void)[] = [];
  const inside = new Promise<void>(resolve => entered.push(resolve));
  const secondInside = new Promise<void>(resolve => entered.push(resolve));
  const vault = await openMemoryVault({
    workspaceId: 'ws-a',
    wrapAdapters: adapters => ({
      ...adapters,
      events: {
        ...adapters.events,
        append: async event => {
          entered.shift()?.();
          await held;
          return adapters.events.append(event);
        },
      },
    }),
  });
  const served = await serve({ vault });
  const stream = await openStream(served, await served.admit('streamer'));
  stream.send(operation('rules/a.md'));
  await inside;
  const single = served.submit({ type: 'event', workspace_id: 'ws-a', idempotency_key: freshKey(), path: 'shop/door' });
  await secondInside;
  const closed = served.app.close();
  letGo();
  expect(await stream.next()).toMatchObject({ success: true, path: 'rules/a.md' });
  expect(await stream.next()).toBeNull();
  expect((await single).status).toBe(201);
  await closed;
  await expect(served.request('/healthz')).rejects.toThrow();
});

test('a stream ends with its token, after what was begun is answered', async () => {
  const served = await serve();
  const stream = await openStream(served, await served.admit('streamer'));
  stream.send(operation('rules/a.md'));
  expect(await stream.next()).toMatchObject({ success: true });
  await served.vault.principals.revoke('streamer');
  expect(await stream.next()).toBeNull();
  stream.send(operation('rules/late.md'));
  expect(await served.vault.read('rules/late.md')).toBeNull();
});

test('the stream gives the bodies that single requests give', async () => {
  const { submit, request } = await serve();
  const envelopes = [
    operation('rules/a.md'),
    operation('rules/b.md', '---\ntype: rule\n---\n'),
    { type: 'nonsense' },
    { type: 'delete', workspace_id: 'ws-a', idempotency_key: freshKey(), path: 'rules/none.md' },
    operation('rules/c.md', rule(), { dry_run: true }),
    operation('rules/d.md', rule(), { workspace_id: 'ws-other' }),
  ];
  const body = envelopes.map(envelope => JSON.stringify(envelope)).join('\n');
  const streamed = await answersOf(await request('/v1/envelopes/stream', { ...ndjson, body }));
  const single = await Promise.all(envelopes.map(async envelope => (await submit(envelope)).body));
  const comparable = (answers: readonly Answer[]) => answers.map(answer => ({ ...answer, operation_id: undefined, replay: undefined }));
  expect(comparable(single)).toEqual(comparable(streamed));
});
