import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Vault } from '#api';
import { initVault, openVault } from '#open-vault';
import { startServer } from '#server';
import { callTool, connectHttp, eventsOf, openVaultForTest, rule, type TestClient, thread } from './mcp-client.ts';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const program = resolve('bin/sheaf.cjs');
const tone =
  '---\ntype: memory\ntitle: Tone\ndescription: How we speak.\ntimestamp: 2026-05-16T14:00:00Z\nslug: tone\ncategory: facts\nstatus: active\nschema_version: 1\n---\nBriefly.\n';

interface Workshop {
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly openHere: () => Promise<Vault>;
}

const makeVault = async (): Promise<Workshop> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-mcp-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const stateDir = join(directory, 'state');
  const { root } = await initVault({ root: join(directory, 'vault') });
  const environment = { PATH: process.env.PATH ?? '', SHEAF_STATE_DIR: stateDir };
  vi.stubEnv('SHEAF_STATE_DIR', stateDir);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { root, environment, openHere: () => openVault({ root }) };
};

const connectStdio = async ({ root, environment }: Workshop, args: readonly string[] = [], name = 'test-client'): Promise<Client> => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', '--vault', root, ...args],
    env: { ...environment },
    stderr: 'ignore',
  });
  const client = new Client({ name, version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
};

const toolNames = [
  'read_document',
  'list_documents',
  'search',
  'graph',
  'write_document',
  'patch_document',
  'append_record',
  'delete_document',
  'move_document',
  'record_event',
  'record_feedback',
  'check_memory',
  'resolve_conflict',
  'history',
  'diff_document',
  'blame_document',
  'undo_event',
  'list_tasks',
  'claim_task',
  'append_run_step',
  'finish_task',
  'acquire_lease',
  'renew_lease',
  'release_lease',
  'submit_envelope',
];

/** Lists every tool and calls each one once, successfully. */
const useEveryTool = async (client: TestClient, workspaceId: string): Promise<void> => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(toolNames);
  for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  const called = new Set<string>();
  const use = async (name: string, input: Record<string, unknown>) => {
    called.add(name);
    const reply = await callTool(client, name, input);
    expect(reply.refused, reply.text).toBe(false);
    return reply;
  };
  await use('write_document', { path: 'memory/tone.md', content: tone });
  const { said } = await use('read_document', { path: 'memory/tone.md' });
  await use('patch_document', { path: 'memory/tone.md', set: { title: 'Tone of voice' }, base_hash: said.hash });
  expect((await use('search', { query: 'briefly' })).json()).toMatchObject([{ path: 'memory/tone.md' }]);
  expect((await use('graph', { path: 'memory/tone.md' })).json()).toEqual([]);
  await use('write_document', { path: 'threads/t1/CONVERSATION.md', content: thread });
  await use('append_record', { path: 'threads/t1/CONVERSATION.md', text: '### turn 2 — user — 2026-05-16T14:02:00Z\nThanks.\n' });
  await use('record_event', { subject: 'orders/1', payload: { event_type: 'paid' } });
  const lease = await use('acquire_lease', { target: 'memory/tone.md', operation_id: 'job' });
  await use('renew_lease', { lease_id: lease.said.lease_id, operation_id: 'job' });
  await use('release_lease', { lease_id: lease.said.lease_id, operation_id: 'job' });
  await use('submit_envelope', { envelope: { type: 'event', workspace_id: workspaceId, idempotency_key: 'raw', path: 'orders/2' } });
  const changes = (await use('history', {})).json() as unknown as { readonly event_id: string; readonly action: string }[];
  expect(changes).toHaveLength(6);
  expect((await use('diff_document', { path: 'memory/tone.md' })).refused).toBe(false);
  expect((await use('blame_document', { path: 'memory/tone.md' })).text).toContain('title');
  await use('undo_event', { event_id: changes.find(({ action }) => action === 'patch')?.event_id });
  await use('record_feedback', { subject: 'memory/tone.md', score: 1 });
  await use('move_document', { from: 'memory/tone.md', to: 'memory/voice.md' });
  for (const object of ['html', 'plain_text']) await use('write_document', { path: `memory/${object}.md`, content: claimed(object) });
  const [conflict] = /conflict-[0-9a-z-]+/.exec((await use('check_memory', { record: true })).text) ?? [];
  await use('resolve_conflict', { conflict, keep: 'both' });
  await use('write_document', { path: 'tasks/t.md', content: task });
  expect((await use('list_tasks', {})).text).toContain('tasks/t.md');
  const claim = (await use('claim_task', { worker: 'test' })).json() as Readonly<Record<string, string>>;
  const ticket = { task: claim.task_path, lease_id: claim.lease_id, operation_id: claim.operation_id };
  await use('append_run_step', { ...ticket, name: 'look', text: 'Looked.' });
  await use('finish_task', { ...ticket, status: 'done', text: 'Done.' });
  await use('delete_document', { path: 'memory/voice.md' });
  expect((await use('list_documents', { prefix: 'threads/' })).json()).toMatchObject([{ path: 'threads/t1/CONVERSATION.md' }]);
  expect([...called].sort()).toEqual([...toolNames].sort());
};

const claimed = (object: string): string =>
  `---\ntype: memory\ntitle: Mail as ${object}\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\nslug: ${object}\ncategory: facts\nstatus: active\nschema_version: 2\nconfidence: 0.9\nimportance: 3\nmodality: must\nsubject: mail\npredicate: format\nobject: ${object}\nsentiment_polarity: directive_must\n---\nWrite it so.\n`;

const task =
  '---\ntype: task\ntitle: T\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\npriority: 1\ncategory: c\nstatus: pending\n---\nLook.\n';

const fullRights = ['ssss:*', 'write:event', 'read:event', 'run:task'];

/** A running server, as `sheaf serve` starts it, and the tokens of some agents. */
const serve = async (agents: Readonly<Record<string, readonly string[]>>) => {
  const vault = await openVaultForTest();
  const tokens: Record<string, string> = {};
  for (const [id, capabilities] of Object.entries(agents))
    tokens[id] = (await vault.principals.add({ id, kind: 'agent', capabilities })).token;
  const server = await startServer({ vault, port: 0, log: new PassThrough().resume() });
  onTestFinished(() => server.close());
  return { vault, url: new URL('/mcp', server.url), token: (id: string): string => tokens[id] ?? '' };
};

test('a real client lists and calls every tool over streamable HTTP', async () => {
  const { vault, url, token } = await serve({ 'agent:full': fullRights });
  await useEveryTool(await connectHttp(url, token('agent:full')), vault.workspaceId);
});

test('a real client lists and calls every tool over standard input and output', async () => {
  const workshop = await makeVault();
  const vault = await workshop.openHere();
  await vault.principals.add({
    id: 'agent:full',
    kind: 'agent',
    capabilities: fullRights,
  });
  await vault.close();
  await useEveryTool(await connectStdio(workshop, ['--as', 'agent:full']), vault.workspaceId);
});

test('two agents with different rights are told apart over HTTP: by what they may do, and in the log', async () => {
  const { url, token } = await serve({ 'agent:reader': ['ssss:rule:read', 'read:event'], 'agent:writer': ['ssss:rule:*', 'write:event'] });
  const [reader, writer] = [await connectHttp(url, token('agent:reader')), await connectHttp(url, token('agent:writer'))];
  expect((await callTool(writer, 'write_document', { path: 'rules/a.md', content: rule('A') })).refused).toBe(false);
  const denied = await callTool(reader, 'write_document', { path: 'rules/b.md', content: rule('B') });
  expect(denied.said).toMatchObject({ refused: 'forbidden', remedy: expect.stringContaining('grant') });
  expect(denied.json()).toMatchObject({ error: { message: expect.stringContaining('ssss:rule:create') } });
  expect((await callTool(reader, 'read_document', { path: 'rules/a.md' })).stored).toBe(rule('A'));
  expect((await callTool(writer, 'history')).said.refused).toBe('forbidden');
  const history = await callTool(reader, 'history');
  expect(history.json()).toMatchObject([{ subject: 'rules/a.md', principal: { id: 'agent:writer', kind: 'agent' } }]);
});

test('a token that is revoked opens nothing any more, and a session is of no use to the bearer of another', async () => {
  const { vault, url, token } = await serve({ 'agent:a': ['write:event'], 'agent:b': ['write:event'] });
  const client = await connectHttp(url, token('agent:a'));
  const send = (bearer: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': client.sessionId,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'record_event', arguments: { subject: 'x' } } }),
    });
  expect((await send(token('agent:a'))).status).toBe(200);
  expect((await send(token('agent:b'))).status).toBe(404);
  const pushed = await fetch(url, { headers: { authorization: `Bearer ${token('agent:a')}`, accept: 'text/event-stream' } });
  expect([pushed.status, await pushed.json()]).toEqual([405, expect.objectContaining({ success: false })]);
  await vault.principals.revoke('agent:a');
  expect((await send(token('agent:a'))).status).toBe(401);
  expect((await eventsOf(vault)).map(({ principal }) => principal.id)).toEqual(['agent:a']);
});

test('a message that names a member twice is refused over HTTP too: nobody guesses which was meant', async () => {
  const { vault, url, token } = await serve({ 'agent:a': ['write:event'] });
  const client = await connectHttp(url, token('agent:a'));
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token('agent:a')}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': client.sessionId,
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"record_event","arguments":{"subject":"a","subject":"b"}}}',
  });
  expect(reply.status).toBe(400);
  expect(await eventsOf(vault)).toEqual([]);
});

test('two clients at standard input are told apart by the names they give themselves, and hold only the rights of a local agent', async () => {
  const workshop = await makeVault();
  const [one, two] = await Promise.all([connectStdio(workshop, [], 'Editor One'), connectStdio(workshop, ['--as', 'agent:night-shift'])]);
  for (const client of [one, two]) expect((await callTool(client, 'record_event', { subject: 'orders/1' })).refused).toBe(false);
  const denied = await callTool(one, 'write_document', { path: 'rules/a.md', content: rule('A') });
  expect(denied.said.refused).toBe('forbidden');
  expect((await callTool(one, 'history')).said.refused).toBe('forbidden');
  const vault = await workshop.openHere();
  onTestFinished(() => vault.close());
  expect((await eventsOf(vault)).map(({ principal }) => [principal.id, principal.kind, principal.authentication.provider])).toEqual([
    ['agent:Editor-One', 'agent', 'mcp-stdio'],
    ['agent:night-shift', 'agent', 'mcp-stdio'],
  ]);
});

test('a principal that is revoked while it is connected makes no further call', async () => {
  const workshop = await makeVault();
  const vault = await workshop.openHere();
  onTestFinished(() => vault.close());
  await vault.principals.add({ id: 'agent:brief', kind: 'agent', capabilities: ['write:event'] });
  const client = await connectStdio(workshop, ['--as', 'agent:brief']);
  expect((await callTool(client, 'record_event', { subject: 'orders/1' })).refused).toBe(false);
  await vault.principals.revoke('agent:brief');
  expect((await callTool(client, 'record_event', { subject: 'orders/2' })).said.refused).toBe('unauthorized');
});

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

const recordEvent = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'record_event', arguments: { subject: `orders/${id}` } },
});

test('told to end in the middle of its work, the server finishes and answers what it has taken', async () => {
  const workshop = await makeVault();
  const child = spawn(process.execPath, [program, 'mcp', '--vault', workshop.root], { env: { ...workshop.environment } });
  const ended = new Promise(done => child.on('close', done));
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    // The answer to initialize is the first line; at the second one the events are under way.
    if (out.split('\n').length > 2 && !child.killed) child.kill('SIGTERM');
  });
  child.stdin.on('error', () => undefined);
  const calls = Array.from({ length: 500 }, (_, index) => recordEvent(2 + index));
  child.stdin.write(`${[hello, ...calls].map(line => JSON.stringify(line)).join('\n')}\n`);
  expect(await ended).toBe(0);
  const answered = out.trimEnd().split('\n').slice(1);
  for (const line of answered)
    expect(JSON.parse(line)).toMatchObject({ result: { content: [{ text: expect.stringMatching(/^done: committed/) }] } });
  const vault = await workshop.openHere();
  onTestFinished(() => vault.close());
  expect(await eventsOf(vault)).toHaveLength(answered.length);
});

test('requests that stand before the end of the input are answered, broken lines too, and nothing else is on standard output', async () => {
  const { root, environment } = await makeVault();
  const child = spawn(process.execPath, [program, 'mcp', '--vault', root], { env: { ...environment } });
  const out: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  const lines = [hello, ...Array.from({ length: 100 }, (_, index) => recordEvent(10 + index))].map(line => JSON.stringify(line));
  child.stdin.end(`${[...lines, 'broken', '{"id":1,"id":2}', '[]', '7'].join('\n')}\n`);
  const status = await new Promise(done => child.on('close', done));
  const replies = Buffer.concat(out)
    .toString()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { id: number | null; result?: { isError?: boolean }; error?: { code: number } });
  expect(status).toBe(0);
  expect(replies.filter(({ result }) => result !== undefined && result.isError !== true)).toHaveLength(101);
  expect(replies.filter(({ error }) => error?.code === -32700)).toHaveLength(4);
});
