import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import Fastify, { type FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import type { Principal, Vault } from '#api';
import { openMemoryVault } from '#open-vault';
import { createMcpServer, mcpHttpHandler } from '../../src/server/mcp/index.ts';

export const workspace = 'ws-memory';

export const agent = (id: string, capabilities: readonly string[] = ['*:*'], kind: Principal['kind'] = 'agent'): Principal => ({
  id,
  kind,
  workspaceIds: [workspace],
  capabilities,
  authentication: { provider: 'token', assurance: 'verified' },
});

export const person = agent('human:ada', ['*:*'], 'human');

export const openVaultForTest = async (options: Parameters<typeof openMemoryVault>[0] = {}): Promise<Vault> => {
  const vault = await openMemoryVault(options);
  onTestFinished(() => vault.close());
  return vault;
};

/** A real client, connected to a server of its own in this process. */
export const connectAs = async (
  vault: Vault,
  principal: unknown,
  options: { readonly onError?: (error: unknown) => void } = {},
): Promise<Client> => {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await createMcpServer({ vault, caller: { principal }, ...options }).connect(serverSide);
  return connected(clientSide);
};

type ClientTransport = Parameters<Client['connect']>[0];

const connected = async (transport: ClientTransport, name = 'test-client'): Promise<Client> => {
  const client = new Client({ name, version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
};

/** A small server with the handler mounted behind the simplest authentication: `Bearer NAME`. */
export const serveHttp = async (
  vault: Vault,
  principals: Readonly<Record<string, Principal>>,
): Promise<{ readonly url: URL; readonly app: FastifyInstance }> => {
  const app = Fastify();
  const principalOf = (request: { readonly headers: { readonly authorization?: string | undefined } }) =>
    principals[request.headers.authorization?.replace(/^Bearer /, '') ?? ''] ?? null;
  app.route({ method: ['GET', 'POST', 'DELETE'], url: '/mcp', handler: mcpHttpHandler({ vault, principalOf }) });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  return { url: new URL('/mcp', address), app };
};

/** What of a client the tests use; over HTTP it runs in a process of its own. */
export type TestClient = Pick<
  Client,
  'listTools' | 'callTool' | 'listResources' | 'listResourceTemplates' | 'readResource' | 'listPrompts' | 'getPrompt'
>;

type HttpClient = TestClient & { readonly sessionId: string; readonly terminateSession: () => Promise<unknown> };

/** The real client over streamable HTTP. */
export const connectHttp = async (url: URL, token: string): Promise<HttpClient> => {
  const environment = { ...process.env };
  // The test runner's own flags would change which files the client library loads.
  delete environment.NODE_OPTIONS;
  const child = spawn(process.execPath, ['test/mcp/http-client.mjs', url.href, token], {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const waiting = new Map<number, { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }>();
  createInterface({ input: child.stdout }).on('line', line => {
    const { id, value, error } = JSON.parse(line) as { id: number; value?: unknown; error?: { message: string } };
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(value);
    else call?.reject(Object.assign(new Error(error.message), error));
  });
  let last = 0;
  const call = (method: string, input?: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ id: last, method, input })}\n`);
    });
  const methods = [
    'listTools',
    'callTool',
    'listResources',
    'listResourceTemplates',
    'readResource',
    'listPrompts',
    'getPrompt',
    'terminateSession',
  ];
  const proxies = Object.fromEntries(methods.map(method => [method, (input?: unknown) => call(method, input)]));
  const { sessionId } = (await call('connect')) as { sessionId: string };
  return { ...proxies, sessionId } as unknown as HttpClient;
};

export interface Reply {
  readonly refused: boolean;
  /** Everything that a model would read. */
  readonly text: string;
  /** What stands between the markers. */
  readonly stored: string;
  /** The lines of the server's own before the block, by name. */
  readonly said: Readonly<Record<string, string>>;
  /** The stored part as JSON. */
  readonly json: () => Record<string, unknown>;
}

/** Calls a tool and takes its reply apart. */
export const callTool = async (
  client: Pick<Client, 'callTool'>,
  name: string,
  input: Readonly<Record<string, unknown>> = {},
): Promise<Reply> => {
  const result = await client.callTool({ name, arguments: { ...input } });
  const [content] = result.content as { readonly type: string; readonly text: string }[];
  const text = content?.text ?? '';
  const block = /<untrusted id="([0-9a-f]{16})">\n([\s\S]*)\n<\/untrusted id="\1">$/.exec(text);
  const before = text.slice(0, block?.index ?? text.length).split('\n');
  const said = Object.fromEntries(
    before.filter(line => line.includes(': ')).map(line => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  );
  const stored = block?.[2] ?? '';
  return { refused: result.isError === true, text, stored, said, json: () => JSON.parse(stored) as Record<string, unknown> };
};

export const rule = (name: string, body = 'Be kind.\n', more = ''): string =>
  `---\ntype: rule\ntitle: ${name}\ndescription: How we speak.\ntimestamp: 2026-05-16T14:00:00Z\nname: ${name}\n${more}---\n${body}`;

export const thread = `---
type: thread
title: A thread
description: Two people talk.
timestamp: 2026-05-16T14:00:00Z
thread_id: t1
---
### turn 1 — user — 2026-05-16T14:00:00Z
Hello.
`;

/** What the log holds. */
export const eventsOf = async (vault: Vault) => {
  const events = [];
  for await (const { event } of vault.events()) events.push(event);
  return events;
};
