import { expect, test } from 'vitest';
import { operation, sendRaw, serve } from '../server/served-vault.ts';

const open = async () => {
  const served = await serve();
  const token = await served.admit('mei');
  const host = `127.0.0.1:${served.port}`;
  /** Sends one request with exactly these lines and gives status and code. */
  const raw = async (target: string, lines: readonly string[], method = 'GET', body = '') => {
    const head = [`${method} ${target} HTTP/1.1`, ...lines, 'Connection: close'].join('\r\n');
    return parse(await sendRaw(served.port, `${head}\r\n\r\n${body}`));
  };
  return { served, token, host, raw, own: [`Host: ${host}`, `Authorization: Bearer ${token}`] };
};

const parse = (answer: string) => {
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const code = /"code":"([a-z_]+)"/.exec(body)?.[1] ?? null;
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), code, answers: answer.split('HTTP/1.1 ').length - 1, body };
};

test('exactly one Host: none, two, or two in other letters are refused', async () => {
  const { host, token, raw, own } = await open();
  expect(await raw('/v1/documents', own)).toMatchObject({ status: 200 });
  const authorization = `Authorization: Bearer ${token}`;
  for (const hosts of [
    [],
    [`Host: ${host}`, `Host: ${host}`],
    [`Host: ${host}`, 'Host: evil.example'],
    ['host: evil.example', `HOST: ${host}`],
  ])
    expect(await raw('/v1/documents', [...hosts, authorization]), hosts.join()).toMatchObject({ status: 400, code: 'invalid_request' });
});

test('a second Host cannot hide behind more headers than Node keeps', async () => {
  const { raw, own } = await open();
  const many = Array<string>(2500).fill('X:');
  expect(await raw('/v1/documents', [...own, ...many])).toMatchObject({ status: 200 });
  expect(await raw('/v1/documents', [...own, ...many, 'Host: evil.example'])).toMatchObject({ status: 400, code: 'invalid_request' });
});

test('a second Authorization, Origin or Sec-Fetch-Site is refused, whichever of them is right', async () => {
  const { served, raw, own } = await open();
  for (const twice of [
    [`Authorization: Bearer ${'x'.repeat(20)}`],
    [`Origin: ${served.origin}`, 'Origin: https://evil.example'],
    ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'],
  ])
    expect(await raw('/v1/documents', [...own, ...twice]), twice.join()).toMatchObject({ status: 400, code: 'invalid_request' });
});

test('a target that is no path, as proxies get them, is refused', async () => {
  const { host, raw, own } = await open();
  for (const target of [`http://${host}/v1/documents`, 'http://evil.example/v1/documents', '//evil.example/v1/documents', '*'])
    expect(await raw(target, own, target === '*' ? 'OPTIONS' : 'GET'), target).toMatchObject({ status: 400, code: 'invalid_request' });
});

test('a request cannot be hidden inside another: two lengths, a length beside chunks, odd chunks, folded and spaced headers', async () => {
  const { served, host, raw, own } = await open();
  const hidden = `POST /v1/envelopes HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`;
  const smuggled: readonly (readonly string[])[] = [
    ['Content-Length: 0', `Content-Length: ${hidden.length}`],
    [`Content-Length: ${hidden.length}`, 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding : chunked'],
    ['Content-Length: 0', ' Transfer-Encoding: chunked'],
    ['Content-Length: +0'],
    ['Content-Length: 0x0'],
  ];
  for (const lines of smuggled) {
    const answer = await raw('/v1/envelopes', [...own, 'Content-Type: application/json', ...lines], 'POST', hidden);
    expect(answer.status, lines.join()).toBe(400);
    expect(answer.code).toBe('invalid_request');
    expect(answer.answers, lines.join()).toBe(1);
  }
  expect(await served.vault.lastCursor()).toBeNull();
});

test('a header with a bare line break or NUL is no header', async () => {
  const { host, token, raw } = await open();
  for (const line of [
    `Authorization: Bearer ${token}\u0000`,
    `X-A: b\nAuthorization: Bearer ${token}`,
    `X-A: b\rAuthorization: Bearer ${token}`,
  ]) {
    const { status } = await raw('/v1/documents', [`Host: ${host}`, line]);
    expect([400, 401], line).toContain(status);
  }
});

test('headers that say who is asking are not believed', async () => {
  const { served, host, raw, own } = await open();
  const claims = [
    'X-Forwarded-User: root',
    'X-Remote-User: root',
    'X-Sheaf-Principal: {"kind":"system"}',
    'X-Forwarded-Host: evil.example',
    'Forwarded: for=127.0.0.1;host=evil.example',
  ];
  expect(await raw('/v1/documents', [`Host: ${host}`, ...claims])).toMatchObject({ status: 401, code: 'unauthorized' });
  const body = JSON.stringify(operation('rules/a.md'));
  const lines = [...own, ...claims, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  expect(await raw('/v1/envelopes', lines, 'POST', body)).toMatchObject({ status: 201 });
  for await (const { event } of served.vault.events()) expect(event.principal).toMatchObject({ id: 'mei', kind: 'human' });
});

test('another method in a header or in the query changes nothing', async () => {
  const { raw, own } = await open();
  const lines = [...own, 'X-HTTP-Method-Override: DELETE', 'X-HTTP-Method: DELETE', 'X-Method-Override: DELETE'];
  expect(await raw('/v1/documents', lines)).toMatchObject({ status: 200 });
});

test('an expectation that nobody knows does not get a bare answer', async () => {
  const { raw, own, host } = await open();
  expect(await raw('/v1/documents', [...own, 'Expect: the-unexpected'])).toMatchObject({ status: 200 });
  expect(await raw('/v1/documents', [`Host: ${host}`, 'Expect: the-unexpected'])).toMatchObject({ status: 401, code: 'unauthorized' });
});
