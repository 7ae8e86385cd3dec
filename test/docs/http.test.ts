import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorStatuses } from '#errors';
import { explanations } from '../../src/cli/explain.ts';
import { callRoutes } from '../../src/server/http/call-routes.ts';
import { transportStatuses } from '../../src/server/http/transport-error.ts';
import { memory, operation, serve } from '../server/served-vault.ts';

const page = readFileSync('docs/reference/http.md', 'utf8');
const section = (heading: string): string => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

test('the reference has a row for every call with its route, and no other', () => {
  const documented = [...section('Calls').matchAll(/^\| `(\w+ [^`]+)` \| `([a-z.]+)` \|$/gm)].map(([, route, call]) => `${route} ${call}`);
  const routed = callRoutes.map(({ method, url, call }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')} ${call}`);
  expect([...documented].sort()).toEqual(
    [...routed, 'POST /v1/envelopes envelope.submit', 'GET /v1/documents/{path} document.read'].sort(),
  );
});

test('the reference gives every code its status', () => {
  for (const [code, status] of Object.entries(errorStatuses))
    expect(section('Envelopes')).toMatch(new RegExp(`^\\| ${status} \\| [^|]*\`${code}\``, 'm'));
  const beyond = [...section('Codes beyond the contract').matchAll(/^\| `([a-z_]+)` \| (\d+) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  expect(Object.fromEntries(beyond)).toEqual(transportStatuses);
});

test('the command line explains every code that a server answers', () => {
  const explained = explanations.map(({ code }) => code);
  expect(explained).toEqual(expect.arrayContaining([...Object.keys(errorStatuses), ...Object.keys(transportStatuses)]));
});

test('every route beside the calls exists and needs a token as its row says', async () => {
  const { request, app } = await serve({});
  const rows = [...section('Beside the calls').matchAll(/^\| `(?:(\w+) )?(\/[^`]+)` \| (yes|no) \|/gm)];
  expect(rows.length).toBeGreaterThan(8);
  for (const [, method = 'POST', path = '', token] of rows) {
    if (path === '/mcp') continue;
    expect(app.hasRoute({ method: method as 'GET', url: path.replace(/\{(\w+)\}/g, ':$1') }), path).toBe(true);
    if (method !== 'GET') continue;
    const answer = await request(path, { token: null });
    expect(answer.status, path).toBe(token === 'yes' ? 401 : 200);
  }
});

test('the metrics in the reference are those of a server', async () => {
  const { submit, request } = await serve();
  await submit(operation('memory/a.md', memory()));
  const text = await (await request('/metrics')).text();
  const documented = [...section('Metrics').matchAll(/^\| `(sheaf_\w+)` \|/gm)].map(([, name = '']) => name);
  expect([...documented].sort()).toEqual([...text.matchAll(/^# TYPE (sheaf_\w+) /gm)].map(([, name = '']) => name).sort());
});
