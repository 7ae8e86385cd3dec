import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { initVault, openMemoryVault, openVault } from '#open-vault';
import { callRoutes } from '../../src/server/http/call-routes.ts';
import { memory, operation, serve } from './served-vault.ts';

test('health is open, everything that describes the server needs a token', async () => {
  const { request } = await serve();
  expect((await request('/healthz', { token: null })).status).toBe(200);
  for (const path of ['/readyz', '/metrics', '/openapi.json', '/v1/documents']) {
    expect((await request(path, { token: null })).status, path).toBe(401);
    expect((await request(path)).status, path).toBe(200);
  }
});

test('a vault that can only be read is alive but not ready', async () => {
  const vault = await openMemoryVault({ workspaceId: 'ws-a' });
  const notices = () => [{ kind: 'read_only', message: 'The vault is open for reading only.' }];
  const { request } = await serve({ vault: { ...vault, notices } });
  expect((await request('/healthz')).status).toBe(200);
  const ready = await request('/readyz');
  expect([ready.status, await ready.json()]).toMatchObject([503, { error: { code: 'unavailable' } }]);
});

test('a vault whose log cannot be read is alive but not ready', async () => {
  const vault = await openMemoryVault({ workspaceId: 'ws-a' });
  const event = () => Promise.reject(new Error("ENOENT: no such file or directory, open '/somewhere'"));
  const { request } = await serve({ vault: { ...vault, event } });
  expect((await request('/healthz')).status).toBe(200);
  const ready = await request('/readyz');
  expect([ready.status, await ready.json()]).toMatchObject([503, { error: { code: 'unavailable', message: 'The log cannot be read.' } }]);
});

test('metrics count commits, replays, conflicts and refusals, and time them', async () => {
  const { submit, request } = await serve();
  const envelope = operation('memory/a.md', memory());
  await submit(envelope);
  await submit(envelope);
  await submit(operation('memory/a.md', memory('New.')), { headers: { 'if-none-match': '*' } });
  await submit({ type: 'nonsense' });
  const text = await (await request('/metrics')).text();
  for (const line of [
    'sheaf_commits_total{type="operation"} 1',
    'sheaf_replays_total 1',
    'sheaf_conflicts_total{code="version_conflict"} 1',
    'sheaf_envelopes_total{type="none",outcome="invalid_request"} 1',
    'sheaf_envelope_seconds_count{outcome="commit"} 1',
    'sheaf_envelopes_in_flight 0',
    'sheaf_http_request_seconds_count{route="/v1/envelopes",method="POST",status="201"} 1',
  ])
    expect(text).toContain(line);
});

test('metrics show how many commits ran together and how far the index is behind', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-metrics-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const { root } = await initVault({ root: join(directory, 'vault'), workspaceId: 'ws-a' });
  const { submit, request } = await serve({ vault: await openVault({ root, stateDir: join(directory, 'state') }) });
  await Promise.all(Array.from({ length: 12 }, (_, index) => submit(operation(`memory/${index}.md`, memory()))));
  const text = await (await request('/metrics')).text();
  expect(text).toContain('sheaf_commit_batch_size_sum 12');
  expect(Number(/sheaf_commit_batch_size_count (\d+)/.exec(text)?.[1])).toBeLessThanOrEqual(12);
  expect(text).toMatch(/sheaf_projection_lag_events\{projection="event_index"\} \d+/);
});

test('the log says who did what with which result, and holds no token, query or text of a document', async () => {
  const { submit, request, admit, log, logText } = await serve();
  const [one, two] = [await admit('agent:one', ['ssss:memory:*'], 'agent'), await admit('agent:two', ['ssss:rule:*'], 'agent')];
  const committed = await submit(operation('memory/a.md', memory('The secret sauce.')), { token: one });
  await submit(operation('memory/b.md', memory('The secret sauce.')), { token: two });
  await request('/v1/documents?prefix=hidden-words', { token: one });
  const lines = log().filter(line => line.msg === 'answered');
  expect(lines).toMatchObject([
    { principal: 'agent:one', route: '/v1/envelopes', status: 201, path: 'memory/a.md', event_id: committed.body.event_id },
    { principal: 'agent:two', route: '/v1/envelopes', status: 403, code: 'forbidden' },
    { principal: 'agent:one', route: '/v1/documents', status: 200 },
  ]);
  for (const secret of [one, two, 'sauce', 'hidden-words']) expect(logText()).not.toContain(secret);
});

test('the OpenAPI document describes every route of the table with the schemas of its call', async () => {
  const { request } = await serve();
  const document = (await (await request('/openapi.json')).json()) as {
    openapi: string;
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
  };
  expect(document.openapi).toBe('3.1.0');
  for (const { method, url, call } of callRoutes) {
    const operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    expect(operation?.operationId, url).toBe(call);
    for (const name of [...url.matchAll(/:(\w+)/g)].map(match => match[1]))
      expect(JSON.stringify(operation), url).toContain(`"name":"${name}","in":"path","required":true`);
  }
  expect(Object.keys(document.paths['/v1/envelopes']?.post?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '201', '400', '401', '403', '404', '409', '422', '500']),
  );
});

test('the reference page needs no script and names every route', async () => {
  const { request } = await serve();
  const answer = await request('/reference', { token: null });
  const page = await answer.text();
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page).not.toMatch(/<script|https?:\/\//);
  for (const { url } of callRoutes) expect(page).toContain(url.replace(/:(\w+)/g, '{$1}'));
});

test('HEAD tells what GET would, without the text', async () => {
  const { submit, request } = await serve();
  await submit(operation('memory/a.md', memory()));
  const answer = await request('/v1/documents/memory/a.md', { method: 'HEAD' });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
  expect(answer.headers.get('etag')).toMatch(/^"sha256:/);
});

test('HEAD of a stream that never ends is no route, instead of an answer that never comes', async () => {
  const { request } = await serve();
  const answer = await request('/v1/events/stream', { method: 'HEAD' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
});

test('whoever follows the link finds a page that says what is here, without a script', async () => {
  const { request } = await serve();
  const answer = await request('/', { token: null });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).toMatch(/href="\/reference"/);
});
