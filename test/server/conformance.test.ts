import { expect, test } from 'vitest';
import { openHttpEndpoint } from '../../src/cli/conformance/http-endpoint.ts';
import { sectionRows } from '../../src/cli/conformance/report-table.ts';
import { runAtEndpoint } from '../../src/cli/conformance/run-conformance.ts';
import { serve } from './served-vault.ts';

test('scenarios of the standard have the same answers over HTTP, each with its status', { timeout: 240_000 }, async () => {
  const { origin, session } = await serve({ workspaceId: 'ws-elsewhere', settings: { rateLimit: { perSecond: 1e6, burst: 1e6 } } });
  const endpoint = await openHttpEndpoint({ url: origin, token: await session() });
  const report = await runAtEndpoint(endpoint);
  expect(report.results.filter(({ problems }) => problems.length > 0).map(({ id, problems }) => `${id}: ${problems.join('; ')}`)).toEqual(
    [],
  );
  expect(report.results.length).toBeGreaterThan(500);
  const [heading, ...sections] = sectionRows(report);
  expect(heading).toEqual(['section', 'scenarios', 'http']);
  expect(sections.at(-1)?.at(-1)).toBe(String(report.results.length));
});

test('with a stored token what decides about rights is said to be not run, and nothing else', { timeout: 240_000 }, async () => {
  const { origin, admit } = await serve({ settings: { rateLimit: { perSecond: 1e6, burst: 1e6 } } });
  const report = await runAtEndpoint(await openHttpEndpoint({ url: origin, token: await admit('full') }));
  expect(report.results.filter(({ problems }) => problems.length > 0)).toEqual([]);
  expect(report.results.length).toBeGreaterThan(500);
  expect(report.skipped.filter(({ reason }) => reason.includes('rights')).length).toBeGreaterThan(10);
});

test('with a token that may do nothing the run fails, instead of skipping everything', async () => {
  const { origin, admit } = await serve();
  const token = await admit('agent:weak', ['read:event', 'ssss:rule:read', 'ssss:index:read'], 'agent');
  const report = await runAtEndpoint(await openHttpEndpoint({ url: origin, token }), { only: 'patch-001' });
  expect(report.results.some(({ problems }) => problems.length > 0)).toBe(true);
});

test('a link makes the run the person at the machine, once, and what is no host is said with its reason', async () => {
  const { origin, link } = await serve({ workspaceId: 'ws-elsewhere' });
  const url = link();
  expect(await openHttpEndpoint({ url })).toMatchObject({ workspaceId: 'ws-elsewhere', principalId: expect.stringMatching(/^local:/) });
  await expect(openHttpEndpoint({ url })).rejects.toMatchObject({ code: 'no_host', message: expect.stringContaining('was used already') });
  await expect(openHttpEndpoint({ url: origin, token: 'sheaf_wrong' })).rejects.toMatchObject({
    code: 'no_host',
    message: 'GET /readyz was answered with 401: This token is unknown, expired or revoked.',
  });
  await expect(openHttpEndpoint({ url: 'http://127.0.0.1:1', token: 'x' })).rejects.toMatchObject({ code: 'no_host' });
});

test('a host that answers with a wrong status is found out', async () => {
  const { origin, app, session } = await serve();
  const endpoint = await openHttpEndpoint({ url: origin, token: await session() });
  const [listener] = app.server.listeners('request') as ((
    request: unknown,
    response: { writeHead: (...args: unknown[]) => unknown },
  ) => void)[];
  app.server.removeAllListeners('request').on('request', (request, response) => {
    const { writeHead } = response as unknown as { writeHead: (...args: unknown[]) => unknown };
    Object.assign(response, { writeHead: (_status: number, ...more: unknown[]) => writeHead.call(response, 200, ...more) });
    listener?.(request, response as never);
  });
  await expect(endpoint.submit({ type: 'nonsense' })).rejects.toThrow("'invalid_request' came with status 200, not 400");
});
