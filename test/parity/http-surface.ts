import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { CallName } from '#api';
import { createAuthenticator, createBrowserSessions } from '#identity';
import { createHttpServer } from '#server/http';
import { callRoutes } from '../../src/server/http/call-routes.ts';
import type { ParityVault, Surface } from './surface.ts';

type Input = Readonly<Record<string, unknown>>;

/** The server, asked with the session token of the person at this machine, or an agent's own. */
export const httpSurface = async ({ vault, clerkToken }: ParityVault): Promise<Surface> => {
  const sessions = createBrowserSessions({ person: vault.localPrincipal() });
  const authenticator = createAuthenticator({ registry: vault.principals, workspaceId: vault.workspaceId, sessions });
  let port = 0;
  const settings = { origins: () => [`http://127.0.0.1:${port}`] };
  const app = createHttpServer({ vault, authenticator, sessions, settings, logger: pino({ level: 'silent' }) });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  ({ port } = app.server.address() as AddressInfo);
  const session = await sessions.redeem(sessions.createLink());
  return {
    name: 'http',
    missing: [],
    ask: async (call, input, who) => {
      const asked = requestOf(call, input);
      const token = { person: session?.token ?? null, clerk: clerkToken, nobody: null }[who];
      const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
      const ask = (more: Record<string, string> = {}) => send(port, { ...asked, headers: { ...asked.headers, ...authorization, ...more } });
      const first = await ask();
      // A person at a page is asked once more where a terminal's answer is enough; the refusal names the hash to confirm.
      const hash = /needs your confirmation.*?(sha256:[0-9a-f]{64})/.exec(JSON.stringify(first.body))?.[1];
      const { status, body } = hash === undefined ? first : await ask({ 'sheaf-confirm': hash });
      if (call === 'envelope.submit' && status !== 401) return { output: body };
      return status < 300 ? { output: body } : { refused: body.error?.code ?? `status ${status}` };
    },
    // Without a token nothing of the body is read, so the refusal cannot say what it was about.
    shown: (call, outcome) => {
      const code = call === 'envelope.submit' && 'output' in outcome ? (outcome.output as Body).error?.code : undefined;
      return code === 'unauthorized' ? { refused: code } : outcome;
    },
  };
};

interface Body {
  readonly error?: { readonly code: string };
}

/** Sent as it is: `fetch` would resolve the dots in a path before the server sees them. */
const send = (port: number, { path, method, headers, body }: HttpRequest): Promise<{ readonly status: number; readonly body: Body }> =>
  new Promise((resolve, reject) => {
    const sending = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) as Body }));
    });
    sending.on('error', reject);
    sending.end(body);
  });

interface HttpRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

const json = { 'content-type': 'application/json' };

const requestOf = (call: CallName, input: Input): HttpRequest => {
  if (call === 'envelope.submit') return envelopeRequest(input);
  if (call === 'document.read') {
    const path = String(input.path).split('/').map(encodeURIComponent).join('/');
    return { path: `/v1/documents/${path}`, method: 'GET', headers: { accept: 'application/json' } };
  }
  const route = callRoutes.find(each => each.call === call);
  if (route === undefined) throw new Error(`no route makes the call ${call}`);
  const left = new Map(Object.entries(input));
  const path = route.url.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = encodeURIComponent(String(left.get(name)));
    left.delete(name);
    return value;
  });
  if (route.method === 'POST') return { path, method: 'POST', headers: json, body: JSON.stringify(Object.fromEntries(left)) };
  const query = new URLSearchParams([...left].map(([name, value]): [string, string] => [name, String(value)])).toString();
  return { path: query === '' ? path : `${path}?${query}`, method: route.method, headers: {} };
};

const envelopeRequest = ({ envelope, if_match: match, correlation_id: correlation, causation_id: causation }: Input): HttpRequest => ({
  path: '/v1/envelopes',
  method: 'POST',
  headers: {
    ...json,
    ...(typeof match === 'string' ? { 'if-match': `"${match}"` } : {}),
    ...(match === null ? { 'if-none-match': '*' } : {}),
    ...(typeof correlation === 'string' ? { 'sheaf-correlation-id': correlation } : {}),
    ...(typeof causation === 'string' ? { 'sheaf-causation-id': causation } : {}),
  },
  body: JSON.stringify(envelope),
});
