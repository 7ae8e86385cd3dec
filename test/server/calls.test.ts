import { expect, test } from 'vitest';
import { calls } from '#api';
import { openMemoryVault } from '#open-vault';
import { callRoutes } from '../../src/server/http/call-routes.ts';
import { memory, operation, serve } from './served-vault.ts';

const post = (body: object) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) as const;

test('every call of the product has exactly one route', () => {
  const routed = [...callRoutes.map(({ call }) => call), 'envelope.submit', 'document.read'].sort();
  expect(routed).toEqual(Object.keys(calls).sort());
});

test('the log, one event and its causal tree are read with read:event, and refused without', async () => {
  const { submit, request, admit } = await serve();
  const cause = await submit(operation('memory/a.md', memory()));
  const id = cause.body.event_id ?? '';
  const effect = await submit(operation('memory/b.md', memory()), { headers: { 'sheaf-causation-id': id, 'sheaf-correlation-id': 'job' } });
  const page = (await (await request('/v1/events?limit=1')).json()) as { events: { event_id: string }[]; cursor: string; more: boolean };
  expect(page).toMatchObject({ events: [{ event_id: id }], more: true });
  const rest = await request(`/v1/events?cursor=${encodeURIComponent(page.cursor)}&correlation_id=job`);
  expect(await rest.json()).toMatchObject({ events: [{ event_id: effect.body.event_id }], more: false });
  expect(await (await request(`/v1/events/${id}`)).json()).toMatchObject({ event_id: id, subject: 'memory/a.md' });
  const tree = (await (await request(`/v1/events/${id}/trace`)).json()) as { nodes: { depth: number }[] };
  expect(tree.nodes.map(({ depth }) => depth)).toEqual([0, 1]);
  const token = await admit('deaf', ['ssss:memory:*'], 'agent');
  for (const path of ['/v1/events', `/v1/events/${id}`, `/v1/events/${id}/trace`, '/v1/events/none'])
    expect((await request(path, { token })).status, path).toBe(403);
  expect((await request('/v1/events/none')).status).toBe(404);
});

test('a lease is acquired, seen, renewed and released', async () => {
  const { request } = await serve();
  const acquired = await request('/v1/leases', post({ target: 'tasks/a.md', operation_id: 'job-7', ttl_seconds: 30 }));
  expect(acquired.status).toBe(201);
  const { lease_id } = (await acquired.json()) as { lease_id: string };
  expect((await request('/v1/leases', post({ target: 'tasks/a.md', operation_id: 'job-8' }))).status).toBe(409);
  expect(await (await request('/v1/leases')).json()).toMatchObject({ leases: [{ lease_id, operation_id: 'job-7' }] });
  const renewed = await request(`/v1/leases/${lease_id}/renew`, post({ operation_id: 'job-7', ttl_seconds: 60 }));
  expect([renewed.status, await renewed.json()]).toMatchObject([200, { lease_id }]);
  const released = await request(`/v1/leases/${lease_id}?operation_id=job-7`, { method: 'DELETE' });
  expect(await released.json()).toMatchObject({ released: true });
  expect((await request(`/v1/leases/${lease_id}/renew`, post({ operation_id: 'job-7' }))).status).toBe(409);
});

test('principals are admitted, listed without their tokens, given new ones and revoked, by whoever may', async () => {
  const { request: send, admit, session } = await serve();
  const person = await session();
  const request: typeof send = (path, init) => send(path, { token: person, ...init });
  const added = await request('/v1/principals', post({ id: 'agent:writer', kind: 'agent', capabilities: ['ssss:memory:*'] }));
  const { token } = (await added.json()) as { token: string };
  expect(added.status).toBe(201);
  expect((await request('/v1/documents', { token })).status).toBe(200);
  const listed = await (await request('/v1/principals')).text();
  expect(listed).toContain('agent:writer');
  expect(listed).not.toMatch(/token|sheaf_/);
  const renewed = await request('/v1/principals/agent:writer/token', post({}));
  expect((await request('/v1/documents', { token })).status).toBe(401);
  const { token: fresh } = (await renewed.json()) as { token: string };
  expect((await request('/v1/principals/agent:writer', { method: 'DELETE' })).status).toBe(200);
  expect((await request('/v1/documents', { token: fresh })).status).toBe(401);
  const other = await admit('agent:other', ['ssss:*'], 'agent');
  expect((await request('/v1/principals', { token: other })).status).toBe(403);
});

test('what the URL names cannot be overruled by the body', async () => {
  const { request } = await serve();
  const answer = await request('/v1/principals/a/token', post({ id: 'b' }));
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('The URL names it already')]);
});

test('a member that the call does not know is refused by name', async () => {
  const { request } = await serve();
  const answer = await request('/v1/leases', post({ target: 'a.md', operation_id: 'x', principal_id: 'root' }));
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('principal_id')]);
});

test('status, registry and check answer what the calls answer', async () => {
  const { submit, request } = await serve();
  await submit(operation('memory/a.md', memory()));
  expect(await (await request('/v1/status')).json()).toMatchObject({ workspace_id: 'ws-a', rows: [] });
  expect(await (await request('/v1/registry?type=memory')).json()).toMatchObject({ document_types: [{ qualified: 'ssss:memory' }] });
  expect(await (await request('/v1/check', post({}))).json()).toMatchObject({ valid: true });
  expect(await (await request('/v1/tree')).json()).toMatchObject({ rows: [{ path: 'memory' }, { path: 'memory/a.md' }] });
});

test('what a survey found says why without naming a place on this machine', async () => {
  const vault = await openMemoryVault({ workspaceId: 'ws-a' });
  const message =
    "the outcome of a recovery could not be noted: EACCES: permission denied, open '/home/ada/.local/state/sheaf/recovery.jsonl'";
  const status = async () => ({ ...(await vault.status()), notices: [{ kind: 'recovery_note', message }] });
  const { request } = await serve({ vault: { ...vault, status } });
  const text = await (await request('/v1/status')).text();
  expect(text).toContain('EACCES: permission denied');
  expect(text).not.toContain('/home/ada');
});

test('what somebody wrote into an event comes back as it was written', async () => {
  const { submit, request } = await serve();
  const content = JSON.stringify({ message: "EACCES: permission denied, open '/home/ada/file'" });
  const { body } = await submit({ type: 'event', workspace_id: 'ws-a', idempotency_key: 'e', path: 'shop/door', content });
  expect(await (await request(`/v1/events/${body.event_id}`)).json()).toMatchObject({ payload: JSON.parse(content) as object });
});
