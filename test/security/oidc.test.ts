import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { OidcSettingsError, startServer } from '#server';
import { type Answer, freshKey, operation, rule } from '../server/served-vault.ts';
import { diskVault, roleText, write } from './disk-vault.ts';

const issuer = 'https://login.example.org';

/** A served vault whose machine state names a provider on this machine. */
const open = async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const key = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'EdDSA' };
  const provider = createServer((_request, response) => response.end(JSON.stringify({ keys: [key] })));
  await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve));
  const disk = await diskVault();
  const vault = await disk.open();
  await write(vault, vault.localPrincipal(), 'roles/desk/ROLE.md', roleText(['ssss:memory:*']));
  mkdirSync(disk.stateDir, { recursive: true });
  const settings = {
    issuer,
    audience: 'sheaf',
    jwks_uri: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/keys`,
    kind: 'human',
    grants: {
      claim: 'groups',
      values: { desk: { capabilities: ['ssss:rule:*'], roles: ['desk'] }, owners: { capabilities: ['*:*'] } },
    },
    strong: { claim: 'amr', values: ['mfa'] },
  };
  writeFileSync(join(disk.stateDir, 'oidc.json'), JSON.stringify(settings));
  const logged: string[] = [];
  const log = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  const server = await startServer({ vault, port: 0, log, stateDir: disk.stateDir });
  onTestFinished(async () => {
    provider.close();
    await server.close();
  });
  const sign = (claims: Readonly<Record<string, unknown>>) =>
    new SignJWT({ iss: issuer, aud: 'sheaf', sub: 'u-1', exp: Math.floor(Date.now() / 1000) + 600, ...claims })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'k' })
      .sign(privateKey);
  const ask = async (token: string, envelope?: object, headers: Record<string, string> = {}) => {
    const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
    const init = envelope === undefined ? { headers: all } : { method: 'POST', headers: all, body: JSON.stringify(envelope) };
    const answer = await fetch(`${server.url}${envelope === undefined ? '/v1/leases' : '/v1/envelopes'}`, init);
    return { status: answer.status, body: (await answer.json()) as Answer };
  };
  return { vault, provider, sign, ask, logText: () => logged.join('') };
};

test('a token of the configured provider acts as its subject, with what this machine maps its groups to', async () => {
  const { vault, sign, ask, logText } = await open();
  const token = await sign({ groups: ['desk'] });
  expect((await ask(token, operation('rules/a.md', rule()))).status).toBe(201);
  expect((await ask(token, { type: 'event', workspace_id: 'ws-a', idempotency_key: freshKey(), path: 'x', content: '{}' })).status).toBe(
    403,
  );
  const principals = [];
  for await (const { event } of vault.events({ subject: 'rules/a.md' })) principals.push(event.principal);
  expect(principals).toEqual([
    {
      id: 'oidc:u-1',
      kind: 'human',
      workspaceIds: ['ws-a'],
      // The second comes from the role's document, which the person at this machine wrote.
      capabilities: ['ssss:rule:*', 'ssss:memory:*'],
      authentication: { provider: 'oidc', assurance: 'verified' },
    },
  ]);
  expect(logText()).not.toContain(token);
});

test('a token for somebody else, of somebody else or past its time gets 401', async () => {
  const { sign, ask } = await open();
  const now = Math.floor(Date.now() / 1000);
  for (const claims of [{ aud: 'other' }, { iss: 'https://evil.example' }, { exp: now - 60 }, { nbf: now + 600 }])
    expect((await ask(await sign(claims))).status, JSON.stringify(claims)).toBe(401);
  const token = await sign({});
  expect((await ask(`${token.slice(0, -4)}AAAA`)).status).toBe(401);
  expect((await ask(token)).status).toBe(200);
});

test('roles are written with a second factor and a confirmation, not with a password alone', async () => {
  const { sign, ask } = await open();
  const envelope = operation('roles/other/ROLE.md', roleText(['ssss:memory:read']));
  const weak = await sign({ groups: ['owners'], amr: ['pwd'] });
  expect((await ask(weak, envelope)).body.error?.message).toContain('a person changes it');
  const strong = await sign({ groups: ['owners'], amr: ['pwd', 'mfa'] });
  const asked = await ask(strong, envelope);
  const hash = /Sheaf-Confirm: (sha256:[0-9a-f]{64})/.exec(asked.body.error?.message ?? '')?.[1] ?? '';
  expect((await ask(weak, envelope, { 'sheaf-confirm': hash })).status).toBe(403);
  expect((await ask(strong, envelope, { 'sheaf-confirm': hash })).status).toBe(201);
});

test('a provider that cannot be reached is 503 for its tokens and nothing for others', async () => {
  const { vault, provider, sign, ask } = await open();
  provider.closeAllConnections();
  await new Promise(resolve => provider.close(resolve));
  expect(await ask(await sign({}))).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  const { token } = await vault.principals.add({ id: 'human:mei', kind: 'human', capabilities: [] });
  expect((await ask(token)).status).toBe(200);
});

test('a configuration that cannot be read stops the start: a team must not be locked out in silence', async () => {
  const disk = await diskVault();
  mkdirSync(disk.stateDir, { recursive: true });
  writeFileSync(join(disk.stateDir, 'oidc.json'), '{"issuer":"x"}');
  const log = new Writable({ write: (_chunk, _encoding, done) => done() });
  await expect(startServer({ vault: await disk.open(), port: 0, log, stateDir: disk.stateDir })).rejects.toThrow(OidcSettingsError);
});
