import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { expect, test } from 'vitest';
import { memory, operation, rule, sendRaw, serve } from '../server/served-vault.ts';

test('a token in the address is refused wherever it stands, before it is looked at, and is logged nowhere', async () => {
  const served = await serve();
  const token = await served.admit('mei');
  const session = await served.session();
  const queries = [
    `access_token=${token}`,
    `token=x`,
    `x=${token}`,
    `Bearer=1`,
    `a=1&id_token=y`,
    `authorization=Bearer%20${token}`,
    `k=${session}`,
  ];
  const encoded = [`x=${token.replace('sheaf_', '%73heaf_')}`, `%74oken=x`];
  for (const query of [...queries, ...encoded]) {
    for (const path of ['/v1/documents', '/healthz', '/nowhere']) {
      for (const with_ of [null, token]) {
        const answer = await served.request(`${path}?${query}`, { token: with_ });
        expect(answer.status, `${path}?${query}`).toBe(400);
        expect(JSON.stringify(await answer.json())).not.toContain(token);
      }
    }
  }
  expect(served.logText()).not.toMatch(/sheafs?_[\w-]{10}/);
  expect((await served.request('/v1/documents?prefix=rules', { token })).status).toBe(200);
});

test('without a valid token there is one answer, whatever is asked for: 401, before the body is read', async () => {
  const served = await serve();
  const answers = new Set<string>();
  for (const token of ['sheaf_wrong', 'sheafs_wrong', 'a.b.c', 'x']) {
    for (const [method, path] of [
      ['POST', '/v1/envelopes'],
      ['POST', '/v1/envelopes/stream'],
      ['GET', '/v1/documents/rules/a.md'],
      ['GET', '/v1/nowhere'],
      ['DELETE', '/v1/documents'],
      ['POST', '/mcp'],
    ] as const) {
      const init = method === 'POST' ? { body: '{"not json', headers: { 'content-type': 'application/json' } } : {};
      const answer = await served.request(path, { token, method, ...init });
      expect(answer.status, `${method} ${path}`).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      const { operation_id: _, ...body } = (await answer.json()) as { operation_id: string };
      answers.add(JSON.stringify(body));
    }
  }
  expect(answers.size).toBe(1);
});

test('the refusal comes while the body is still on its way', async () => {
  const served = await serve();
  const socket = createConnection(served.port, '127.0.0.1');
  const answered = new Promise<string>(resolve => socket.once('data', chunk => resolve(String(chunk))));
  socket.write(
    `POST /v1/envelopes HTTP/1.1\r\nHost: 127.0.0.1:${served.port}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\nAuthorization: Bearer sheaf_x\r\n\r\n{`,
  );
  expect(await answered).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

test.each(['Basic bWVpOnNlY3JldA==', 'bearer', 'Bearer', 'Bearer a b', 'Token x', 'Bearer "x"', 'Bearer x, Bearer y'])(
  'the scheme %s admits nobody',
  async authorization => {
    const served = await serve();
    expect((await served.request('/v1/documents', { token: null, headers: { authorization } })).status).toBe(401);
  },
);

test('the scheme is read in any letters, and a token that fills the header is nobody, not a failure', async () => {
  const served = await serve();
  const token = await served.admit('mei');
  expect((await served.request('/v1/documents', { token: null, headers: { authorization: `bEARER  ${token}` } })).status).toBe(200);
  expect((await served.request('/v1/documents', { token: 'x'.repeat(12_000) })).status).toBe(401);
  expect(await sendRaw(served.port, `GET / HTTP/1.1\r\nAuthorization: Bearer ${'x'.repeat(100_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 413 .*"payload_too_large"/s,
  );
});

test('revoking a token ends it for the next request, also one on the same connection', async () => {
  const served = await serve();
  const token = await served.admit('agent:a', ['ssss:rule:*'], 'agent');
  expect((await served.submit(operation('rules/a.md', rule()), { token })).status).toBe(201);
  await served.vault.principals.revoke('agent:a');
  expect((await served.submit(operation('rules/b.md', rule()), { token })).status).toBe(401);
});

test('a page that leaves ends its session; a wrong link says nothing and five of them void the right one', async () => {
  const served = await serve();
  const session = await served.session();
  expect((await served.request('/v1/session', { token: session, method: 'DELETE' })).status).toBe(204);
  expect((await served.request('/v1/documents', { token: session })).status).toBe(401);
  const redeem = (body: unknown) =>
    served.request('/v1/session', {
      token: null,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  for (const body of [{}, [], 'x', { key: 1 }, null]) expect((await redeem(body)).status, JSON.stringify(body)).toBe(400);
  expect((await redeem({ key: 'wrong' })).status).toBe(401);
  expect((await redeem({ key: 'x'.repeat(10_000) })).status).toBe(413);
});

test('tokens and their hashes are compared in constant time: no source compares one with ===', () => {
  for (const file of ['principal-registry', 'browser-sessions', 'authenticator', 'oidc-verifier']) {
    const source = readFileSync(`src/identity/${file}.ts`, 'utf8');
    expect(source, file).not.toMatch(/hash\s*[!=]==|[!=]==\s*(?:\w+\.)?(?:token_?)?hash/i);
  }
  const token = readFileSync('src/identity/token.ts', 'utf8');
  expect(token).toMatch(/timingSafeEqual\(a, b\)/);
  // Every record is compared, or the time would say which one matched.
  expect(readFileSync('src/identity/principal-registry.ts', 'utf8')).toMatch(/\.filter\(record => sameHash\(/);
});

test('one principal that asks too much is told when to come back; the others go on', async () => {
  const served = await serve({ settings: { rateLimit: { perSecond: 0.01, burst: 3 } } });
  const [busy, calm] = [await served.admit('busy'), await served.admit('calm')];
  const ask = (token: string) => served.request('/v1/leases', { token });
  for (let count = 0; count < 3; count += 1) expect((await ask(busy)).status).toBe(200);
  const refused = await ask(busy);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ success: false, error: { code: 'rate_limited' } });
  expect((await ask(calm)).status).toBe(200);
});

test('guessing tokens is slowed down without locking out those who have one', async () => {
  const served = await serve();
  const token = await served.admit('mei');
  const guesses = await Promise.all(
    Array.from({ length: 600 }, (_, index) => served.request('/v1/documents', { token: `sheaf_${index}` })),
  );
  const statuses = guesses.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect(statuses.filter(status => status === 401).length).toBeGreaterThanOrEqual(300);
  expect((await served.request('/v1/documents', { token })).status).toBe(200);
});

test('what a memory says about a token never reaches the log', async () => {
  const served = await serve();
  const token = await served.admit('mei');
  await served.submit(operation('memory/a.md', memory(`My secret is ${token}.`)), { token });
  await served.request(`/v1/documents/${token}.md`, { token });
  expect(served.logText()).not.toContain(token);
});
