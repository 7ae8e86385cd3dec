import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calls, type Principal, runCall, type Vault } from '#api';
import { diskVault, vaultAt, write } from './disk-vault.ts';

const extension = (capabilities: object): string =>
  JSON.stringify({
    registry: 'acme',
    version: '1.0.0',
    primitives: { order: { portability: 'structural', required_fields: ['name'], capabilities } },
  });
const order = '---\ntype: acme:order\ntitle: T\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nname: One\n---\nBody.\n';

/** A vault as it comes from elsewhere: with an extension that makes its types cheap. */
const fromElsewhere = async (capabilities: object) => {
  const disk = await diskVault({ trusted: false });
  const file = join(disk.root, '.ssss/workspace.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), extensions: ['acme'] }));
  disk.writeOutside('.ssss/extensions/acme.json', extension(capabilities));
  return disk;
};

const agent = (vault: Vault, ...capabilities: string[]): Principal => ({
  ...vault.localPrincipal(),
  id: 'agent:a',
  kind: 'agent',
  capabilities,
});

test('reading and writing work at once; what an extension asks for in place of its own name only adds until it is trusted', async () => {
  const disk = await fromElsewhere({ create: ['write:event'], read: ['write:event'] });
  const vault = await disk.open();
  await write(vault, vault.localPrincipal(), 'orders/one.md', order);
  const cheap = agent(vault, 'write:event');
  const read = (opened: Vault, principal: Principal) => runCall(calls['document.read'], opened, { principal }, { path: 'orders/one.md' });
  await expect(write(vault, cheap, 'orders/two.md', order)).rejects.toThrow('acme:order:create');
  await expect(read(vault, cheap)).rejects.toMatchObject({ code: 'forbidden' });
  expect(vault.notices().filter(({ kind }) => kind === 'untrusted')[0]?.message).toContain('`sheaf trust`');
  await disk.trust().accept();
  expect(vault.notices().filter(({ kind }) => kind === 'untrusted')[0]?.message).toContain('open the vault anew');
  const trusted = await disk.open();
  expect(trusted.notices().filter(({ kind }) => kind === 'untrusted')).toEqual([]);
  await write(trusted, cheap, 'orders/two.md', order);
  expect(await read(trusted, cheap)).toMatchObject({ path: 'orders/one.md' });
});

test('what an extension asks for besides holds from the first moment', async () => {
  const disk = await fromElsewhere({ create: ['finance:approve'] });
  const vault = await disk.open();
  await expect(write(vault, agent(vault, 'acme:order:*'), 'orders/one.md', order)).rejects.toThrow('finance:approve');
});

test('an extension that changed elsewhere since must be accepted again; a type that a person adds here need not', async () => {
  const disk = await fromElsewhere({ create: ['write:event'] });
  await disk.trust().accept();
  expect(disk.trust()).toMatchObject({ trusted: true });
  disk.writeOutside('.ssss/extensions/acme.json', extension({ create: ['write:event'], delete: ['write:event'] }));
  expect(disk.trust()).toMatchObject({ trusted: false, extensions: [{ id: 'acme', trusted: false }] });
  // One's own change on top of it accepts nothing of it.
  const withOne = (text: string | null, version: string) => (text ?? '').replace('"1.0.0"', `"${version}"`);
  const vault = await disk.open();
  await vault.registryFiles?.updateExtension('acme', text => withOne(text, '1.0.1'));
  expect(disk.trust()).toMatchObject({ trusted: false });
  await disk.trust().accept();
  const again = await disk.open();
  await again.registryFiles?.updateExtension('acme', text => (text ?? '').replace('"1.0.1"', '"1.0.2"'));
  await again.registryFiles?.updateExtension('acme', text => (text ?? '').replace('"1.0.2"', '"1.0.3"'));
  await again.registryFiles?.updateExtension('shop', () => extension({}).replace('acme', 'shop').replace('order', 'sale'));
  expect(disk.trust()).toMatchObject({ trusted: true, extensions: [{ id: 'acme', version: '1.0.3' }, { id: 'shop' }] });
});

test('trust is kept outside the vault, for its owner only, and a copy starts without it', async () => {
  const disk = await fromElsewhere({});
  await disk.trust().accept();
  expect(statSync(join(disk.stateDir, 'trust.json')).mode & 0o777).toBe(0o600);
  const copy = `${disk.root}-copy`;
  cpSync(disk.root, copy, { recursive: true });
  const elsewhere = await vaultAt(copy, join(copy, '..', 'other-state'), { trusted: false });
  expect(elsewhere.trust()).toMatchObject({ trusted: false });
});

test('a record of trust that was damaged trusts nothing', async () => {
  const disk = await fromElsewhere({});
  await disk.trust().accept();
  for (const text of ['', '{', '{"version":1}', '{"version":1,"trusted_at":"x","extensions":{},"extensions":{"acme":"x"}}']) {
    writeFileSync(join(disk.stateDir, 'trust.json'), text);
    expect(disk.trust().trusted, text).toBe(false);
  }
});
