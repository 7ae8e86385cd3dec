import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseOidcSettings } from '../../src/identity/oidc-settings.ts';

const page = readFileSync('docs/reference/identity.md', 'utf8');
const [, provider = ''] = page.split('## An identity provider');

test('the example of an identity provider in docs/reference/identity.md can be read as it stands', () => {
  const [, example = ''] = /```json\n(.*?)```/s.exec(provider) ?? [];
  expect(parseOidcSettings(example, 'oidc.json')).toMatchObject({ audience: 'sheaf', kind: 'human' });
});

test('docs/reference/identity.md lists exactly the members that oidc.json may have', () => {
  const documented = [...provider.matchAll(/^\| `([a-z_]+)` \|/gm)].map(match => match[1]);
  const everything = {
    issuer: 'i',
    audience: 'a',
    jwks_uri: 'https://login.example.org/keys',
    kind_claim: 'k',
    grants: { claim: 'g', values: {} },
    strong: { claim: 'amr', values: ['mfa'] },
  };
  expect(documented.sort()).toEqual(Object.keys(parseOidcSettings(JSON.stringify(everything), 'oidc.json')).sort());
});
