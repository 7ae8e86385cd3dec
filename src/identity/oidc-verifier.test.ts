import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { parseOidcSettings } from './oidc-settings.ts';
import { createOidcVerifier } from './oidc-verifier.ts';

const issuer = 'https://login.example.org';
const audience = 'sheaf';

/** A provider on a port of this machine; `serve` changes what it answers. */
const openProvider = async () => {
  const keys = await Promise.all(['one', 'two'].map(async kid => ({ kid, ...(await generateKeyPair('ES256', { extractable: true })) })));
  const published = await Promise.all(keys.map(async ({ kid, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, alg: 'ES256' })));
  let answer: { status: number; body: string } = { status: 200, body: JSON.stringify({ keys: published.slice(0, 1) }) };
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  const sign = (claims: Readonly<Record<string, unknown>>, key = 0, header: object = {}) =>
    new SignJWT({ iss: issuer, aud: audience, sub: 'u-1', exp: Math.floor(Date.now() / 1000) + 600, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: keys[key]?.kid ?? '', ...header })
      .sign(keys[key]!.privateKey);
  return { uri, sign, asked: () => asked, serve: (status: number, body: string) => (answer = { status, body }) };
};

const verifierFor = (jwksUri: string, more: object = {}, clock = { now: () => new Date() }) =>
  createOidcVerifier({
    settings: parseOidcSettings(JSON.stringify({ issuer, audience, jwks_uri: jwksUri, ...more }), 'oidc.json'),
    workspaceId: 'ws',
    expandRoles: async roles => roles.map(role => `role:${role}`),
    clock,
  });

test('a signed token stands for its subject; claims grant what this machine maps them to, and nothing else', async () => {
  const { uri, sign } = await openProvider();
  const verifier = verifierFor(uri, {
    kind: 'human',
    grants: { claim: 'groups', values: { editors: { capabilities: ['ssss:memory:*'], roles: ['desk'] } } },
    everyone: { capabilities: ['ssss:rule:read'] },
  });
  const token = await sign({ groups: ['editors', 'admins', 'toString'], capabilities: ['*:*'], scope: '*:*' });
  expect(await verifier.verify(token)).toEqual({
    id: 'oidc:u-1',
    kind: 'human',
    workspaceIds: ['ws'],
    capabilities: ['ssss:rule:read', 'ssss:memory:*', 'role:desk'],
    authentication: { provider: 'oidc', assurance: 'verified' },
  });
});

test('without a word about its kind a token is a service: a program must not pass for a person', async () => {
  const { uri, sign } = await openProvider();
  expect(await verifierFor(uri).verify(await sign({}))).toMatchObject({ kind: 'service', capabilities: [] });
});

test('the kind may come from a claim; one that says system or nonsense admits nobody', async () => {
  const { uri, sign } = await openProvider();
  const verifier = verifierFor(uri, { kind_claim: 'kind' });
  expect(await verifier.verify(await sign({ kind: 'agent' }))).toMatchObject({ kind: 'agent' });
  for (const kind of ['system', 'System', 'root', 1, ['human'], null]) expect(await verifier.verify(await sign({ kind }))).toBeNull();
});

test('a second factor that the settings name makes the assurance strong', async () => {
  const { uri, sign } = await openProvider();
  const verifier = verifierFor(uri, { kind: 'human', strong: { claim: 'amr', values: ['mfa'] } });
  expect((await verifier.verify(await sign({ amr: ['pwd', 'mfa'] })))?.authentication.assurance).toBe('strong');
  expect((await verifier.verify(await sign({ amr: ['pwd'] })))?.authentication.assurance).toBe('verified');
});

test('another issuer, audience, key or algorithm, an old, early or endless token, and no subject are refused', async () => {
  const { uri, sign } = await openProvider();
  const verifier = verifierFor(uri);
  const now = Math.floor(Date.now() / 1000);
  const wrong: Readonly<Record<string, unknown>>[] = [
    { iss: 'https://login.example.com' },
    { aud: 'other' },
    { exp: now - 31 },
    { nbf: now + 40 },
    { exp: undefined },
    { sub: undefined },
    { sub: '' },
    { sub: 'two words' },
  ];
  expect(await verifier.verify(await sign({}))).not.toBeNull();
  for (const claims of wrong) expect(await verifier.verify(await sign(claims)), JSON.stringify(claims)).toBeNull();
  expect(await verifier.verify(await sign({}, 1, { kid: 'one' }))).toBeNull();
  const [, payload = ''] = (await sign({})).split('.');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  expect(await verifier.verify(`${none}.${payload}.`)).toBeNull();
  expect(await verifier.verify(`${none}.${payload}.AAAA`)).toBeNull();
  const shared = await new SignJWT({ iss: issuer, aud: audience, sub: 'u-1', exp: now + 600 })
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .sign(new TextEncoder().encode('a shared secret of thirty-two bytes or more'));
  expect(await verifier.verify(shared)).toBeNull();
});

test('clocks may differ by the skew, and a token that was believed ends all the same', async () => {
  const { uri, sign } = await openProvider();
  let now = Date.now();
  const verifier = verifierFor(uri, { clock_skew_seconds: 60 }, { now: () => new Date(now) });
  const token = await sign({ exp: Math.floor(now / 1000) + 10 });
  expect(await verifier.verify(token)).not.toBeNull();
  now += 60_000;
  expect(await verifier.verify(token)).not.toBeNull();
  now += 15_000;
  expect(await verifier.verify(token)).toBeNull();
});

test('keys are fetched once for many tokens; a provider that cannot say is an error, never a refusal', async () => {
  const provider = await openProvider();
  const verifier = verifierFor(provider.uri);
  for (let count = 0; count < 5; count += 1) await verifier.verify(await provider.sign({ sub: `u-${count}` }));
  expect(provider.asked()).toBe(1);
  for (const [status, body] of [
    [500, ''],
    [200, 'no json'],
    [200, '{"keys":1}'],
  ] as const) {
    provider.serve(status, body);
    await expect(verifierFor(provider.uri).verify(await provider.sign({})), body).rejects.toThrow('cannot be fetched');
  }
  await expect(verifierFor('http://127.0.0.1:1/keys').verify(await provider.sign({}))).rejects.toThrow('cannot be fetched');
});

test('what has not the form of a signed token asks nobody', async () => {
  const provider = await openProvider();
  const verifier = verifierFor(provider.uri);
  for (const token of ['', 'a', 'a.b', 'a.b.c.d', 'a b.c.d', '..']) expect(await verifier.verify(token)).toBeNull();
  expect(provider.asked()).toBe(0);
});

test.each([
  ['{"issuer":"i","issuer":"j","audience":"a","jwks_uri":"https://x.example/k"}', 'issuer'],
  ['{"issuer":"i","audience":"a","jwks_uri":"http://x.example/k"}', 'jwks_uri: must be an https address'],
  ['{"issuer":"i","audience":"a","jwks_uri":"https://x.example/k","algorithms":["HS256"]}', 'algorithms.0'],
  ['{"issuer":"i","audience":"a","jwks_uri":"https://x.example/k","kind":"system"}', 'kind'],
  ['{"issuer":"i","audience":"a","jwks_uri":"https://x.example/k","everyone":{"capabilities":["all"]}}', 'everyone.capabilities.0'],
  ['{"issuer":"i","audience":"a","jwks_uri":"https://x.example/k","audiance":"b"}', 'audiance'],
  ['{"issuer":"i"}', 'audience'],
])('the settings %s are refused by name', (json, place) => {
  expect(() => parseOidcSettings(json, 'oidc.json')).toThrow(place);
});
