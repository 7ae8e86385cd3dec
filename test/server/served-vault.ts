import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Vault } from '#api';
import { createAuthenticator, createBrowserSessions } from '#identity';
import { type MemoryVaultOptions, openMemoryVault } from '#open-vault';
import { createHttpServer, type HttpSettings } from '#server/http';

/** Everything a person may do, but through a token. */
const everything = ['*:*'];

export interface ServeOptions extends MemoryVaultOptions {
  readonly vault?: Vault;
  readonly settings?: Partial<HttpSettings>;
}

export interface Served {
  readonly vault: Vault;
  readonly app: FastifyInstance;
  readonly origin: string;
  readonly port: number;
  /** What the server logged, one record per line. */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  readonly logText: () => string;
  /** A fresh principal and its token. */
  readonly admit: (id: string, capabilities?: readonly string[], kind?: string) => Promise<string>;
  /** The token of a browser session of the person at this machine. */
  readonly session: () => Promise<string>;
  /** A one-time link, as `sheaf serve` prints it. */
  readonly link: () => string;
  /** A request as the given token; by default as a principal who may do everything. */
  readonly request: (path: string, init?: RequestInit & { readonly token?: string | null }) => Promise<Response>;
  readonly submit: (
    envelope: unknown,
    init?: RequestInit & { readonly token?: string | null },
  ) => Promise<{ readonly status: number; readonly body: Answer }>;
}

/** A response of the contract, as a client reads it. */
export interface Answer {
  readonly success: boolean;
  readonly event_id?: string;
  readonly path: string | null;
  readonly replay?: true;
  readonly unchanged?: true;
  readonly committed_at: string | null;
  readonly error?: { readonly code: string; readonly message: string };
  readonly repair?: { readonly field_errors: readonly { readonly field: string; readonly issue: string; readonly line?: number }[] };
}

/** A vault behind a server on a port of its own; both are gone when the test ends. */
export const serve = async (options: ServeOptions = {}): Promise<Served> => {
  const vault = options.vault ?? (await openMemoryVault({ workspaceId: 'ws-a', ...options }));
  const written: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const sessions = createBrowserSessions({ person: vault.localPrincipal() });
  const authenticator = createAuthenticator({ registry: vault.principals, workspaceId: vault.workspaceId, sessions });
  let port = 0;
  const origin = (): string => `http://127.0.0.1:${port}`;
  const app = createHttpServer({
    vault,
    authenticator,
    sessions,
    logger: pino({ level: 'info' }, sink),
    settings: { origins: () => [origin()], ...options.settings },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
  onTestFinished(async () => {
    await app.close();
    await vault.close();
  });
  const admit: Served['admit'] = async (id, capabilities = everything, kind = 'human') =>
    (await vault.principals.add({ id, kind, capabilities })).token;
  const own = await admit('tester');
  const request: Served['request'] = (path, { token = own, ...init } = {}) =>
    fetch(`${origin()}${path}`, {
      ...init,
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...(init.headers as Record<string, string> | undefined) },
    });
  return {
    vault,
    app,
    origin: origin(),
    port,
    log: () =>
      written
        .join('')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as Record<string, unknown>),
    logText: () => written.join(''),
    admit,
    session: async () => (await sessions.redeem(sessions.createLink()))?.token ?? '',
    link: () => `${origin()}/#k=${sessions.createLink()}`,
    request,
    submit: async (envelope, init = {}) => {
      const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string> | undefined) };
      const answer = await request('/v1/envelopes', { ...init, method: 'POST', headers, body: JSON.stringify(envelope) });
      return { status: answer.status, body: (await answer.json()) as Answer };
    },
  };
};

/** Sends bytes exactly as given and gives the whole answer; for what a client library would tidy up. */
export const sendRaw = async (port: number, text: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(text);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
};

let keys = 0;
export const freshKey = (): string => {
  keys += 1;
  return `key-${keys}`;
};

const head = (type: string): string => `---\ntype: ${type}\ntitle: T\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\n`;
export const rule = (body = 'Body.'): string => `${head('rule')}name: R\n---\n${body}\n`;
export const memory = (body = 'Body.'): string =>
  `${head('memory')}slug: m\ncategory: facts\nstatus: active\nschema_version: 1\n---\n${body}\n`;

export const operation = (path: string, content = rule(), more: object = {}): object => ({
  type: 'operation',
  workspace_id: 'ws-a',
  idempotency_key: freshKey(),
  path,
  content,
  ...more,
});
