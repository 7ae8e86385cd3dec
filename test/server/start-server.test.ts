import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openMemoryVault } from '#open-vault';
import { InsecureHostError, type RunningServer, type ServerOptions, startServer } from '#server';
import { skipAloud } from '../crash/skip-aloud.ts';
import { memory, operation } from './served-vault.ts';

const hasIpv6 = Object.values(networkInterfaces()).some(addresses => addresses?.some(({ address }) => address === '::1'));
const noIpv6 = hasIpv6 ? null : 'this machine has no ::1';
const noOpenssl = spawnSync('openssl', ['version']).status === 0 ? null : 'there is no openssl here';

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

const start = async (options: Partial<ServerOptions> = {}): Promise<RunningServer> => {
  const vault = await openMemoryVault({ workspaceId: 'ws-a' });
  const server = await startServer({ vault, port: 0, log: nowhere(), ...options });
  onTestFinished(async () => {
    await server.close();
    await vault.close();
  });
  return server;
};

const redeem = async (server: RunningServer, link = server.link()): Promise<Response> =>
  fetch(`${server.url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: new URL(link).hash.slice('#k='.length) }),
  });

const sessionOf = async (server: RunningServer): Promise<Record<string, string>> => {
  const { token } = (await (await redeem(server)).json()) as { token: string };
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
};

test('the link holds its secret in the fragment, never names localhost, and works once', async () => {
  const server = await start();
  const link = server.link();
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#k=[\w-]{43}$/);
  expect((await redeem(server, link)).status).toBe(201);
  expect((await redeem(server, link)).status).toBe(401);
});

test('a session acts as the person at this machine, and dies with the server', async () => {
  const server = await start();
  const headers = await sessionOf(server);
  const written = await fetch(`${server.url}/v1/envelopes`, {
    method: 'POST',
    headers,
    body: JSON.stringify(operation('memory/a.md', memory())),
  });
  expect(written.status).toBe(201);
  const events = (await (await fetch(`${server.url}/v1/events`, { headers })).json()) as { events: { principal: { id: string } }[] };
  expect(events.events[0]?.principal.id).toMatch(/^local:/);
  await server.close();
  const next = await start({ port: server.port });
  const ask = () => fetch(`${next.url}/v1/documents`, { headers });
  // The client may first try a kept connection to the server that is gone.
  expect((await ask().catch(ask)).status).toBe(401);
});

test.skipIf(skipAloud('both loopback addresses', noIpv6))(
  'both loopback addresses are bound, so that nobody else can take the other one',
  async () => {
    const server = await start();
    const other = await fetch(`http://[::1]:${server.port}/healthz`);
    expect(other.status).toBe(200);
    await server.close();
    await expect(fetch(`http://[::1]:${server.port}/healthz`)).rejects.toThrow();
  },
);

test.skipIf(skipAloud('the other loopback address', noIpv6))('a server whose other loopback address is taken does not start', async () => {
  const stranger = createServer().listen(0, '::1');
  await new Promise(resolve => stranger.once('listening', resolve));
  onTestFinished(() => void stranger.close());
  const { port } = stranger.address() as { port: number };
  await expect(start({ port })).rejects.toThrow(/EADDRINUSE/);
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
});

test('beyond loopback a server needs TLS or the word insecure', async () => {
  await expect(start({ host: '0.0.0.0' })).rejects.toThrow(InsecureHostError);
  const server = await start({ host: '0.0.0.0', insecure: true, origins: ['https://sheaf.example.org'] });
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(server.origins).toContain('https://sheaf.example.org');
});

test('only the server’s own names are answered', async () => {
  const server = await start();
  expect((await fetch(`http://localhost:${server.port}/healthz`)).status).toBe(403);
});

test('/mcp speaks MCP with the same token', async () => {
  const server = await start();
  const headers = { ...(await sessionOf(server)), accept: 'application/json, text/event-stream' };
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const answer = await fetch(`${server.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(initialize) });
  expect([answer.status, await answer.json()]).toMatchObject([200, { result: { serverInfo: { name: 'sheaf' } } }]);
  const session = answer.headers.get('mcp-session-id') ?? '';
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_documents', arguments: {} } };
  const listed = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'mcp-session-id': session },
    body: JSON.stringify(call),
  });
  expect(await listed.json()).toMatchObject({ id: 2, result: { content: expect.any(Array) } });
  expect((await fetch(`${server.url}/mcp`, { headers })).status).toBe(405);
  expect((await fetch(`${server.url}/mcp`, { method: 'POST', body: '{}' })).status).toBe(401);
});

test.skipIf(skipAloud('a server that speaks TLS', noOpenssl))('with a certificate it speaks TLS on every address it binds', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-tls-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const [key, cert] = ['key.pem', 'cert.pem'].map(name => join(directory, name)) as [string, string];
  spawnSync('openssl', [
    ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=sheaf -days 1'.split(' '),
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  const server = await start({ tls: { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') } });
  expect(server.url).toMatch(/^https:/);
  for (const host of hasIpv6 ? ['127.0.0.1', '[::1]'] : ['127.0.0.1']) {
    const status = await new Promise((resolve, reject) => {
      get(`https://${host}:${server.port}/healthz`, { rejectUnauthorized: false, agent: false }, answer => {
        answer.resume();
        resolve(answer.statusCode);
      }).on('error', reject);
    });
    expect(status, host).toBe(200);
  }
});
