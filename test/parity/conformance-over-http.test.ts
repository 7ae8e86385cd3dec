import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Principal, Vault } from '#api';
import type { Authenticator, BrowserSessions } from '#identity';
import { createHttpServer } from '#server/http';
import { outcomeOf } from '../../src/cli/conformance/check-response.ts';
import { asText, isMap, type Json, type JsonMap } from '../../src/cli/conformance/json.ts';
import { libraryVault, runWorker, seedDocuments } from '../../src/cli/conformance/library-vault.ts';
import { loadScenarios } from '../../src/cli/conformance/load-scenarios.ts';
import { runScenario } from '../../src/cli/conformance/run-scenario.ts';
import type { Scenario } from '../../src/cli/conformance/scenario.ts';
import { statusOf } from '../../src/cli/conformance/status-of.ts';
import type { LeaseAnswer, Request, Surface, VaultUnderTest } from '../../src/cli/conformance/vault-under-test.ts';
import { openGivenVault } from '../conformance/given-vault.ts';

/** What needs no fake adapters, files or raw lines: requests as any client makes them. */
const isPlain = ({ surfaces, steps }: Scenario): boolean =>
  surfaces.includes('memory') && surfaces.includes('exec') && !steps.some(step => 'line' in step || isNoRemoteCaller(step));

/** Nobody becomes `system` from outside, and without a token nothing of the body is judged: both are 401, whatever stands in the envelope. */
const isNoRemoteCaller = (step: Scenario['steps'][number]): boolean => {
  if (step.kind !== 'submit') return false;
  if (step.principal === null) return step.expect.outcome !== 'unauthorized';
  return isMap(step.principal) && step.principal.kind === 'system';
};

/** A token that says itself whom it stands for, complete or not: what the kernel makes of it is what the scenarios ask. */
const tokenOf = (principal: Json): string => Buffer.from(JSON.stringify(principal)).toString('base64url');
const authenticator: Authenticator = {
  authenticate: async token => JSON.parse(Buffer.from(token, 'base64url').toString()) as Principal,
  watch: () => () => undefined,
};
const sessions: BrowserSessions = {
  createLink: () => '',
  redeem: async () => null,
  end: () => undefined,
  close: () => undefined,
} as unknown as BrowserSessions;

const serve = async (vault: Vault) => {
  let origin = '';
  const settings = { origins: () => [origin] };
  const app = createHttpServer({ vault, authenticator, sessions, settings, logger: pino({ level: 'silent' }) });
  await app.listen({ host: '127.0.0.1', port: 0 });
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    send: async (method: string, path: string, principal: Json, headers: Record<string, string>, body?: Json) => {
      const authorization: Record<string, string> = principal === null ? {} : { authorization: `Bearer ${tokenOf(principal)}` };
      const init = { method, headers: { ...authorization, ...headers } };
      const answer = await fetch(`${origin}${path}`, body === undefined ? init : { ...init, body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as JsonMap };
    },
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
};

const json = { 'content-type': 'application/json' };

const conditions = ({ ifMatch, correlationId, causationId, confirmation }: Request['context']): Record<string, string> => ({
  ...(ifMatch === undefined ? {} : ifMatch === null ? { 'if-none-match': '*' } : { 'if-match': `"${asText(ifMatch)}"` }),
  ...(correlationId === undefined ? {} : { 'sheaf-correlation-id': asText(correlationId) }),
  ...(causationId === undefined ? {} : { 'sheaf-causation-id': asText(causationId) }),
  ...(confirmation === undefined ? {} : { 'sheaf-confirm': asText(confirmation) }),
});

const leaseRequest = ({ do: verb, ttl, ...input }: JsonMap) => {
  const { lease_id: id, ...held } = { ...input, ...(ttl === undefined || verb === 'release' ? {} : { ttl_seconds: ttl }) } as JsonMap;
  const path = `/v1/leases/${encodeURIComponent(asText(id ?? null))}`;
  if (verb === 'acquire') return { method: 'POST', path: '/v1/leases', body: held };
  if (verb === 'renew') return { method: 'POST', path: `${path}/renew`, body: held };
  return { method: 'DELETE', path: `${path}?operation_id=${encodeURIComponent(asText(held.operation_id ?? null))}`, body: undefined };
};

const httpSurface = (onStatus: (problem: string) => void): Surface => ({
  name: 'memory',
  open: async ({ id, given }): Promise<VaultUnderTest> => {
    const { vault, files, outside } = await openGivenVault(given);
    const server = await serve(vault);
    const submit = async ({ envelope, principal, context }: Request): Promise<JsonMap> => {
      const { status, body } = await server.send('POST', '/v1/envelopes', principal, { ...json, ...conditions(context) }, envelope ?? null);
      const due = statusOf(outcomeOf(body));
      if (status !== due) onStatus(`${id}: status ${status} for ${outcomeOf(body)}, not ${due}`);
      return body;
    };
    const lease = async (request: JsonMap, principal: Json): Promise<LeaseAnswer> => {
      const { method, path, body: sent } = leaseRequest(request);
      const { status, body } = await server.send(method, path, principal, sent === undefined ? {} : json, sent);
      if (status > 299) return { code: asText(isMap(body.error ?? null) ? (body.error as JsonMap).code : null) };
      return request.do === 'release' ? { released: true } : { lease: body };
    };
    const under = libraryVault({ vault, files, outside, close: () => server.close().then(() => vault.close()) });
    await seedDocuments(vault, given);
    await under.newEvents();
    return { ...under, submit, lease, race: workers => Promise.all(workers.map(worker => runWorker(worker, submit, lease))) };
  },
  close: async () => undefined,
});

test('every scenario that any client can play holds over HTTP, each answer with its status', async () => {
  const scenarios = loadScenarios('test/conformance')
    .files.flatMap(file => file.scenarios)
    .filter(isPlain);
  const problems: string[] = [];
  const surface = httpSurface(problem => problems.push(problem));
  for (const scenario of scenarios) {
    const result = await runScenario(scenario, surface);
    problems.push(...result.problems.map(problem => `${scenario.id}: ${problem}`));
  }
  expect(problems).toEqual([]);
  expect(scenarios.length).toBeGreaterThan(700);
}, 900_000);
