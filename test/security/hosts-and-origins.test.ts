import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { freshKey, memory, operation, type Served, serve } from '../server/served-vault.ts';

interface Sent {
  readonly status: number;
  readonly body: { readonly error: { readonly code: string; readonly message: string } };
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** A request with exactly these headers; `fetch` would not let a page's headers be forged. */
const send = (served: Served, path: string, headers: Record<string, string>, method = 'GET', body?: string): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port: served.port, path, method, headers, setHost: false }, answer => {
      let text = '';
      answer.setEncoding('utf8').on('data', chunk => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text || 'null'), headers: answer.headers }));
    });
    outgoing.on('error', reject).end(body);
  });

const pages = ['/mcp', '/v1/documents', '/v1/status', '/metrics', '/readyz', '/openapi.json', '/nowhere'];

test('a name that was rebound to this address gets nothing, with the right token or without', async () => {
  const served = await serve();
  const authorization = `Bearer ${await served.admit('mei')}`;
  const { port } = served;
  const foreign = ['evil.example', `evil.example:${port}`, `localhost:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`, `127.0.0.2:${port}`];
  const tricks = [`127.0.0.1:${port}.evil.example`, `evil.example#127.0.0.1:${port}`, `user@127.0.0.1:${port}`, `2130706433:${port}`, ''];
  for (const host of [...foreign, ...tricks]) {
    for (const path of [...pages, '/healthz', '/reference']) {
      const answer = await send(served, path, { host, authorization });
      expect(answer.status, `${host} ${path}`).toBe(403);
      expect(answer.body.error.code).toBe('forbidden');
    }
  }
  expect((await send(served, '/v1/documents', { host: `127.0.0.1:${port}`, authorization })).status).toBe(200);
});

test('a page on another port of this machine, another scheme, or no origin at all may use nothing', async () => {
  const served = await serve();
  const own = { host: `127.0.0.1:${served.port}`, authorization: `Bearer ${await served.admit('mei')}` };
  const others = [
    `http://127.0.0.1:${served.port + 1}`,
    'http://localhost:3000',
    `https://127.0.0.1:${served.port}`,
    'https://evil.example',
    'null',
    '',
  ];
  for (const origin of [...others, `${served.origin}/`, `${served.origin} https://evil.example`, served.origin.toUpperCase()]) {
    for (const path of [...pages, '/healthz']) {
      expect((await send(served, path, { ...own, origin })).status, `${origin} ${path}`).toBe(403);
    }
  }
  expect((await send(served, '/v1/documents', { ...own, origin: served.origin })).status).toBe(200);
});

test('a cross-origin POST changes nothing, whatever its body pretends to be, and a preflight grants nothing', async () => {
  const served = await serve();
  const own = { host: `127.0.0.1:${served.port}`, authorization: `Bearer ${await served.admit('mei')}` };
  const body = JSON.stringify(operation('memory/a.md', memory()));
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const answer = await send(served, '/v1/envelopes', { ...own, origin: 'https://evil.example', 'content-type': type }, 'POST', body);
    expect(answer.status).toBe(403);
  }
  const site = { ...own, 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' };
  expect((await send(served, '/v1/envelopes', site, 'POST', body)).status).toBe(403);
  expect(await served.vault.lastCursor()).toBeNull();
  const preflight = await send(
    served,
    '/v1/envelopes',
    {
      host: own.host,
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    },
    'OPTIONS',
  );
  expect(preflight.status).toBe(403);
  const fine = await send(served, '/v1/documents', { ...own, origin: served.origin });
  for (const { headers } of [preflight, fine]) expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([]);
});

test('what another site’s page started is refused where data is, and lets a link lead to a page', async () => {
  const served = await serve();
  const own = { host: `127.0.0.1:${served.port}`, authorization: `Bearer ${await served.admit('mei')}` };
  for (const site of ['cross-site', 'same-site', 'Cross-Site', 'anything']) {
    for (const path of pages) expect((await send(served, path, { ...own, 'sec-fetch-site': site })).status, `${site} ${path}`).toBe(403);
    // The router reads encoded letters as letters.
    expect((await send(served, '/%76%31/documents', { ...own, 'sec-fetch-site': site })).status).toBe(403);
    expect(
      (await send(served, '/v1/session', { ...own, 'sec-fetch-site': site, 'content-type': 'application/json' }, 'POST', '{}')).status,
    ).toBe(403);
    expect((await send(served, '/healthz', { ...own, 'sec-fetch-site': site })).status).toBe(200);
  }
  for (const site of ['same-origin', 'none'])
    expect((await send(served, '/v1/documents', { ...own, 'sec-fetch-site': site })).status).toBe(200);
});

test('an origin that was configured for a proxy is answered under its own host only', async () => {
  const served = await serve({
    settings: { origins: () => ['https://sheaf.example.org/', 'no origin', 'https://other.example.org:8443'] },
  });
  const authorization = `Bearer ${await served.admit('mei')}`;
  const ask = (host: string, origin?: string) =>
    send(served, '/v1/documents', { host, authorization, ...(origin === undefined ? {} : { origin }) }).then(({ status }) => status);
  expect(await ask('sheaf.example.org')).toBe(200);
  expect(await ask('SHEAF.example.org', 'https://sheaf.example.org')).toBe(200);
  expect(await ask('other.example.org:8443', 'https://other.example.org:8443')).toBe(200);
  expect(await ask('sheaf.example.org', 'https://other.example.org:8443')).toBe(403);
  expect(await ask('sheaf.example.org', 'http://sheaf.example.org')).toBe(403);
  expect(await ask('other.example.org')).toBe(403);
  expect(await ask(`127.0.0.1:${served.port}`)).toBe(403);
});

test('no answer sets or asks for a cookie, and one that is sent means nothing', async () => {
  const served = await serve();
  const session = await served.session();
  const host = `127.0.0.1:${served.port}`;
  expect((await send(served, '/v1/documents', { host, cookie: `token=${session}; session=${session}` })).status).toBe(401);
  const signedIn = await send(served, '/v1/documents', { host, authorization: `Bearer ${session}` });
  expect(signedIn.status).toBe(200);
  expect(signedIn.headers['set-cookie']).toBeUndefined();
});

test('a repeated envelope is the same request under every allowed name', async () => {
  const served = await serve({ settings: { origins: () => ['https://a.example', 'https://b.example'] } });
  const authorization = `Bearer ${await served.admit('mei')}`;
  const body = JSON.stringify(operation('memory/a.md', memory(), { idempotency_key: freshKey() }));
  const post = (host: string) => send(served, '/v1/envelopes', { host, authorization, 'content-type': 'application/json' }, 'POST', body);
  expect((await post('a.example')).status).toBe(201);
  expect((await post('b.example')).status).toBe(200);
});
