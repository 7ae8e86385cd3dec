import { expect, test } from 'vitest';
import { type Answer, operation, sendRaw, serve } from './served-vault.ts';

const post = { method: 'POST', headers: { 'content-type': 'application/json' } } as const;

test('a body that is not strict JSON is refused with its place, and nothing is committed', async () => {
  const { request, vault } = await serve();
  const bodies: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, string])[] = [
    ['half a value', '{"type":', 'line 1, column 9'],
    ['a name that stands twice', '{"path":"a.md",\n"path":"b.md"}', 'line 2, column 1'],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'UTF-8'],
    ['text after the value', '{} {}', 'line 1, column 4'],
    ['65 levels', `${'['.repeat(66)}${']'.repeat(66)}`, 'deeper than 64'],
    ['a byte order mark', '\ufeff{}', 'line 1, column 1'],
  ];
  for (const [what, body, place] of bodies) {
    const answer = await request('/v1/envelopes', { ...post, body });
    expect(answer.status, what).toBe(400);
    const { error } = (await answer.json()) as Answer;
    expect(error, what).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(place) });
  }
  for await (const event of vault.events()) expect(event).toBeUndefined();
});

test('64 levels are read', async () => {
  const { request } = await serve();
  const answer = await request('/v1/envelopes', { ...post, body: `${'['.repeat(65)}${']'.repeat(65)}` });
  expect(((await answer.json()) as Answer).error?.message).not.toContain('deeper');
});

test('`__proto__` in a body is an ordinary name', async () => {
  const { request } = await serve();
  const answer = await request('/v1/envelopes', { ...post, body: '{"__proto__":{"type":"event","path":"a","idempotency_key":"k"}}' });
  expect(answer.status).toBe(400);
  expect(({} as { type?: string }).type).toBeUndefined();
});

test('a body beyond the bound is 413 before it is read, another type or encoding 415', async () => {
  const { request, port, admit } = await serve({ settings: { maxBodyBytes: 1000 } });
  const large = await request('/v1/envelopes', { ...post, body: `"${'x'.repeat(1001)}"` });
  expect([large.status, ((await large.json()) as Answer).error?.code]).toEqual([413, 'payload_too_large']);
  const token = await admit('raw');
  const announced = await sendRaw(
    port,
    `POST /v1/envelopes HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1001\r\n\r\n`,
  );
  expect(announced).toMatch(/^HTTP\/1\.1 413 /);
  const text = await request('/v1/envelopes', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' });
  expect([text.status, ((await text.json()) as Answer).error?.code]).toEqual([415, 'unsupported_media_type']);
  const packed = await request('/v1/envelopes', { ...post, headers: { ...post.headers, 'content-encoding': 'gzip' }, body: 'x' });
  expect([packed.status, ((await packed.json()) as Answer).error?.code]).toEqual([415, 'unsupported_media_type']);
});

test('without a valid token the answer is 401 before the body is parsed', async () => {
  const { request } = await serve();
  const answer = await request('/v1/envelopes', { ...post, body: 'no JSON at all', token: null });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  expect(((await answer.json()) as Answer).error?.code).toBe('unauthorized');
});

test('a body that drips loses its connection', async () => {
  const { port, admit } = await serve({ settings: { bodyTimeoutMs: 50 } });
  const token = await admit('raw');
  const answer = await sendRaw(
    port,
    `POST /v1/envelopes HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  );
  expect(answer).toBe('');
});

test('a body that drips on after it was refused loses its connection, too', async () => {
  const { port } = await serve({ settings: { bodyTimeoutMs: 50 } });
  for (const path of ['/v1/envelopes', '/v1/envelopes/stream']) {
    const answer = await sendRaw(
      port,
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
    );
    expect(answer).toContain(' 401 ');
  }
});

test('unknown routes are 404, known ones with another method 405 with what is allowed', async () => {
  const { request } = await serve();
  const missing = await request('/v1/nothing');
  expect([missing.status, ((await missing.json()) as Answer).error?.code]).toEqual([404, 'route_not_found']);
  const wrong = await request('/v1/envelopes', { method: 'PUT', body: '{}' });
  expect([wrong.status, ((await wrong.json()) as Answer).error?.code, wrong.headers.get('allow')]).toEqual([
    405,
    'method_not_allowed',
    'POST',
  ]);
  const options = await request('/v1/documents/a.md', { method: 'OPTIONS' });
  expect(options.status).toBe(405);
  expect(options.headers.get('access-control-allow-origin')).toBeNull();
});

test('what is no HTTP gets the same body', async () => {
  const { port } = await serve();
  const answer = await sendRaw(port, 'hello there\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({ success: false, error: { code: 'invalid_request' } });
});

test('a failure inside the server names neither its place on the disk nor a line of code', async () => {
  const { submit, request, vault, logText } = await serve({
    wrapAdapters: adapters => ({
      ...adapters,
      vfs: {
        ...adapters.vfs,
        read: async path => {
          if (path === 'rules/broken.md') throw new Error("EACCES: permission denied, open '/home/ada/vault/rules/broken.md'");
          return adapters.vfs.read(path);
        },
      },
      events: {
        ...adapters.events,
        find: async () => {
          throw new Error("EIO: i/o error, read '/home/ada/vault/.ssss/events/1.jsonl'");
        },
      } as typeof adapters.events,
    }),
  });
  expect(vault.root).toBeNull();
  const envelope = await submit(operation('rules/broken.md'));
  expect(envelope.status).toBe(500);
  const read = await request('/v1/documents/rules/broken.md');
  expect(read.status).toBe(500);
  const texts = [JSON.stringify(envelope.body), await read.text(), logText()];
  for (const text of texts) expect(text).not.toMatch(/\/home\/ada|\bat .*\(|\.ts:\d/);
  expect(texts[0]).toContain('EACCES');
});
