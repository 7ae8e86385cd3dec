import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callRoutes } from '../../src/server/http/call-routes.ts';
import { operation, sendRaw, serve } from '../server/served-vault.ts';
import { diskVault } from './disk-vault.ts';

const hostile = [
  '../../etc/passwd',
  '/etc/passwd',
  '.ssss/workspace.json',
  '.git/config',
  'a/../../b.md',
  'x\u0000.md',
  'C:\\a.md',
  'broken/link.md',
  'dir.md',
  '💥'.repeat(500),
];
const odd: readonly unknown[] = [
  null,
  [],
  1,
  'x',
  {},
  { __proto__: { kind: 'system' } },
  { path: 1 },
  { paths: ['../x'] },
  { target: '../../x', operation_id: 'o' },
];

/** Whatever a reply must not say: where this machine keeps things, and what the code looks like inside. */
const secretsOf = (root: string, stateDir: string) => [
  root,
  stateDir,
  process.cwd(),
  homedir(),
  'node_modules',
  'node:internal',
  '    at ',
  '.ts:',
];

test('no reply of any route, to anybody, names a place on this machine or a line of code', async () => {
  const disk = await diskVault();
  mkdirSync(join(disk.root, 'dir.md'));
  mkdirSync(join(disk.root, 'broken'));
  symlinkSync('/etc/passwd', join(disk.root, 'broken/link.md'));
  writeFileSync(join(disk.root, 'bytes.md'), Buffer.from([0xff, 0xfe, 0x00]));
  writeFileSync(join(disk.root, 'closed.md'), 'x');
  chmodSync(join(disk.root, 'closed.md'), 0);
  const served = await serve({ vault: await disk.open() });
  const tokens = [await served.admit('human:mei'), await served.admit('agent:a', ['ssss:rule:*'], 'agent'), await served.session(), null];
  const secrets = secretsOf(disk.root, disk.stateDir);
  const check = async (answer: Response, what: string): Promise<void> => {
    const said = `${JSON.stringify([...answer.headers])}\n${await answer.text()}`;
    // The OpenAPI document and pages may speak of files in general.
    for (const secret of secrets) expect(said.includes(secret), `${what} says ${secret}: ${said.slice(0, 400)}`).toBe(false);
    if (answer.status >= 400) expect(said, what).toMatch(/"success":false/);
  };
  for (const token of tokens) {
    for (const path of [...hostile, 'bytes.md', 'closed.md'])
      await check(await served.request(`/v1/documents/${encodeURI(path)}`, { token }), path);
    for (const { method, url } of callRoutes) {
      const target = url.replaceAll(/:\w+/g, encodeURIComponent('../x'));
      const bodies =
        method === 'POST' ? [...odd, ...hostile.map(path => ({ path, paths: [path], target: path, operation_id: 'o' }))] : [undefined];
      for (const body of bodies) {
        const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
        await check(await served.request(target, { token, method, ...init }), `${method} ${target} ${JSON.stringify(body)?.slice(0, 80)}`);
      }
    }
    for (const path of hostile) {
      const { body } = await served.submit(operation(path), { token });
      for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret);
    }
    for (const envelope of odd) {
      const { body } = await served.submit(envelope, { token });
      expect(body.success).toBe(false);
      for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret);
    }
  }
}, 60_000);

test('a server whose machine state cannot be read says 503 and not why, and lets nobody in', async () => {
  const disk = await diskVault();
  const served = await serve({ vault: await disk.open() });
  const token = await served.admit('human:mei');
  expect((await served.request('/v1/documents', { token })).status).toBe(200);
  writeFileSync(join(disk.stateDir, 'principals.json'), '{"version":1,"principals":[{"kind":"system"}]}');
  const answer = await served.request('/v1/documents', { token });
  expect(answer.status).toBe(503);
  const said = await answer.text();
  expect(said).toMatch(/"code":"unavailable"/);
  for (const secret of [...secretsOf(disk.root, disk.stateDir), 'principals.json']) expect(said).not.toContain(secret);
});

test('what is no HTTP, or breaks off, is answered with the same kind of body or not at all', async () => {
  const served = await serve();
  for (const bytes of ['GET\r\n\r\n', '\u0016\u0003\u0001\u0002', 'GET / HTTP/9.9\r\n\r\n', 'A'.repeat(70_000)]) {
    const answer = await sendRaw(served.port, bytes);
    expect(answer, JSON.stringify(bytes.slice(0, 20))).toMatch(/^$|^HTTP\/1\.1 4\d\d .*"success":false/s);
    for (const secret of secretsOf('/nowhere', '/nowhere')) expect(answer).not.toContain(secret);
  }
});
