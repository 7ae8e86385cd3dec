import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { type Answer, freshKey, memory, operation, rule, type Served, serve } from '../server/served-vault.ts';
import { diskVault, roleText, write } from './disk-vault.ts';

const rolePath = 'roles/desk/ROLE.md';
const post = async (served: Served, path: string, token: string, body: unknown, headers: Record<string, string> = {}) => {
  const answer = await served.request(path, {
    token,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Answer };
};

test('a role is written through a session that confirms exactly this request, and through no stored token', async () => {
  const served = await serve();
  const token = await served.admit('human:mei');
  const agent = await served.admit('agent:a', ['*:*'], 'agent');
  const session = await served.session();
  const envelope = operation(rolePath, roleText(['ssss:memory:*']));
  for (const stranger of [token, agent]) {
    const { status, body } = await served.submit(envelope, { token: stranger, headers: { 'sheaf-confirm': 'sha256:0' } });
    expect(status).toBe(403);
    expect(body.error?.message).toContain('a person changes it');
  }
  const asked = await served.submit(envelope, { token: session });
  expect(asked.status).toBe(403);
  const hash = /Sheaf-Confirm: (sha256:[0-9a-f]{64})/.exec(asked.body.error?.message ?? '')?.[1] ?? '';
  // The confirmation of one request is none of another.
  const other = operation(rolePath, roleText(['*:*']));
  expect((await served.submit(other, { token: session, headers: { 'sheaf-confirm': hash } })).status).toBe(403);
  expect((await served.submit(envelope, { token: session, headers: { 'sheaf-confirm': hash } })).status).toBe(201);
});

test('the person’s own confirmation does not help an agent that repeats the request', async () => {
  const served = await serve();
  const agent = await served.admit('agent:a', ['*:*'], 'agent');
  const envelope = operation(rolePath, roleText(['ssss:memory:read']));
  const asked = await served.submit(envelope, { token: await served.session() });
  const hash = /Sheaf-Confirm: (sha256:[0-9a-f]{64})/.exec(asked.body.error?.message ?? '')?.[1] ?? '';
  expect((await served.submit(envelope, { token: agent, headers: { 'sheaf-confirm': hash } })).status).toBe(403);
});

test('what changes the rules for everyone needs a person who is there, whatever a token was granted', async () => {
  const served = await serve();
  const human = await served.admit('human:mei');
  const agent = await served.admit('agent:a', ['*:*'], 'agent');
  const session = await served.session();
  for (const token of [human, agent]) {
    expect((await post(served, '/v1/registry/lock', token, {})).status).toBe(403);
    expect((await post(served, '/v1/principals', token, { id: 'agent:new', kind: 'agent', roles: ['desk'] })).status).toBe(403);
  }
  // A vault in memory has no registry to lock; the refusal for a right is not what a session gets.
  expect((await post(served, '/v1/registry/lock', session, {})).status).not.toBe(403);
  expect((await post(served, '/v1/principals', session, { id: 'agent:new', kind: 'agent', roles: ['desk'] })).status).toBe(201);
});

test('an agent cannot make itself a person, nor anybody the system', async () => {
  const served = await serve();
  const agent = await served.admit('agent:a', ['*:*'], 'agent');
  const session = await served.session();
  expect((await post(served, '/v1/principals', agent, { id: 'human:new', kind: 'human', capabilities: [] })).status).toBe(403);
  await served.admit('human:mei');
  expect((await post(served, '/v1/principals/human:mei/token', agent, {})).status).toBe(403);
  for (const kind of ['system', 'System', 'root', ''])
    expect((await post(served, '/v1/principals', session, { id: 'x', kind, capabilities: [] })).status, kind).toBe(400);
  for (const id of ['local:mei', 'sheaf:runtime', 'oidc:1', 'assistant:x', 'LOCAL:mei'])
    expect((await post(served, '/v1/principals', session, { id, kind: 'agent', capabilities: [] })).status, id).toBe(400);
});

test('an envelope that says who it is from is from whoever holds the token', async () => {
  const served = await serve();
  const token = await served.admit('agent:a', ['ssss:rule:*'], 'agent');
  const claims = { actor: { role: 'system', id: 'root' }, principal: { kind: 'system' }, user: 'root', kind: 'system' };
  expect((await served.submit(operation('rules/a.md', rule(), claims), { token })).status).toBe(201);
  expect((await served.submit(operation('memory/a.md', memory(), claims), { token })).status).toBe(403);
  for await (const { event } of served.vault.events()) expect(event.principal).toMatchObject({ id: 'agent:a', kind: 'agent' });
});

test('keys and event types of the host are refused from everybody who comes over the network', async () => {
  const served = await serve();
  const tokens = [await served.admit('human:mei'), await served.admit('agent:a', ['*:*'], 'agent'), await served.session()];
  for (const token of tokens) {
    for (const key of ['runtime', 'runtime-1', 'prov-1', 'adopt-1', 'hub:1'])
      expect((await served.submit(operation('rules/a.md', rule(), { idempotency_key: key }), { token })).status, key).toBe(403);
    for (const type of ['hub.opened', 'ssss.runtime.fired', 'workflow_started', 'proposal_approved', 'document_adopted']) {
      const content = JSON.stringify({ event_type: type, after_hash: `sha256:${'0'.repeat(64)}` });
      const envelope = { type: 'event', workspace_id: 'ws-a', idempotency_key: freshKey(), path: 'rules/a.md', content };
      expect((await served.submit(envelope, { token })).status, type).toBe(403);
    }
  }
  expect(await served.vault.lastCursor()).toBeNull();
});

const thread = rule('### turn 1 — user — 2026-05-16T14:00:00Z\nHello')
  .replace('type: rule', 'type: thread')
  .replace('name: R', 'thread_id: t-1');

test('an agent that was admitted without a word reads structural types and nothing else', async () => {
  const served = await serve();
  const person = await served.admit('human:mei');
  await served.submit(operation('rules/a.md', rule()), { token: person });
  await served.submit(operation('threads/a.md', thread), { token: person });
  const made = await post(served, '/v1/principals', person, { id: 'agent:new', kind: 'agent' });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { token } = made.body as unknown as { readonly token: string };
  const listed = (await (await served.request('/v1/documents', { token })).json()) as { documents: { path: string }[] };
  expect(listed.documents.map(({ path }) => path)).toEqual(['rules/a.md']);
  expect((await served.request('/v1/documents/threads/a.md', { token })).status).toBe(403);
  for (const path of ['/v1/events', '/v1/status', '/v1/principals']) expect((await served.request(path, { token })).status, path).toBe(403);
  expect((await served.submit(operation('rules/b.md', rule()), { token })).status).toBe(403);
  for (const kind of ['human', 'service'])
    expect((await post(served, '/v1/principals', person, { id: `${kind}:new`, kind })).status).toBe(400);
});

test('a principal of another workspace is refused, and reads nothing before it is', async () => {
  const served = await serve();
  const token = await served.admit('human:mei');
  expect((await served.submit({ ...operation('rules/a.md'), workspace_id: 'ws-b' }, { token })).status).toBe(403);
});

test('a hand edit of a role is adopted by a person who is there and names it, never through a stored token', async () => {
  const disk = await diskVault();
  const vault = await disk.open();
  await write(vault, vault.localPrincipal(), rolePath, roleText(['ssss:memory:read']));
  disk.writeOutside(rolePath, roleText(['*:*']));
  const served = await serve({ vault });
  const adopt = async (token: string, body: object) => {
    const { body: answer } = await post(served, '/v1/adopt', token, body);
    return (
      (answer as unknown as { readonly results?: readonly { readonly outcome: string }[] }).results?.[0]?.outcome ?? JSON.stringify(answer)
    );
  };
  const confirmed = { paths: [rolePath], confirmed: [rolePath] };
  expect(await adopt(await served.admit('human:mei'), confirmed)).toBe('refused');
  expect(await adopt(await served.admit('agent:a', ['*:*'], 'agent'), confirmed)).toBe('refused');
  const session = await served.session();
  expect(await adopt(session, { paths: [rolePath] })).toBe('needs_confirmation');
  expect(await adopt(session, confirmed)).toBe('adopted');
});

test('rights that a person takes away are gone for a stream of envelopes that is still open', async () => {
  const served = await serve({ vault: await (await diskVault()).open() });
  await served.vault.execute(operation(rolePath, roleText(['ssss:rule:create'])), { principal: served.vault.localPrincipal() });
  const { token } = await served.vault.principals.add({ id: 'agent:desk', kind: 'agent', capabilities: [], roles: ['desk'] });
  const outgoing = httpRequest(`${served.origin}/v1/envelopes/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
  });
  onTestFinished(() => void outgoing.destroy());
  outgoing.on('error', () => undefined);
  outgoing.flushHeaders();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const answers = createInterface({ input: incoming })[Symbol.asyncIterator]();
  let count = 0;
  const send = async (): Promise<string> => {
    count += 1;
    outgoing.write(`${JSON.stringify(operation(`rules/${count}.md`))}\n`);
    const answer = JSON.parse(String((await answers.next()).value)) as Answer;
    return answer.error?.code ?? 'done';
  };
  expect(await send()).toBe('done');
  await served.vault.execute(operation(rolePath, roleText(['ssss:rule:read'])), { principal: served.vault.localPrincipal() });
  await expect.poll(send).toBe('forbidden');
});
