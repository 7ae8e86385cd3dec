import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { initVault, openVault } from '#open-vault';
import { vaultLayout } from '../../src/stores/fs/vault-layout.ts';
import { vaultFiles } from '../../src/workspace/vault-files.ts';

const page = readFileSync('docs/reference/vault-layout.md', 'utf8');
const documented = [...page.matchAll(/^\| `(\.ssss[^`]+)` \|/gm)].map(match => match[1]!.replace(/\/$/, ''));

test('docs/reference/vault-layout.md lists exactly the places that the code names', () => {
  const { root, ...places } = vaultLayout('/v');
  const named = new Set([...Object.values(places).map(place => relative(root, place)), ...Object.values(vaultFiles)]);
  expect([...documented].sort()).toEqual([...named].sort());
});

test('a vault that was written to holds nothing that docs/reference/vault-layout.md does not list', async () => {
  const base = mkdtempSync(join(tmpdir(), 'sheaf-layout-'));
  try {
    const root = join(base, 'vault');
    await initVault({ root });
    const vault = await openVault({ root, stateDir: join(base, 'state') });
    const content = '---\ntype: rule\ntitle: T\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\nname: T\n---\n';
    const response = await vault.execute(
      { type: 'operation', workspace_id: vault.workspaceId, idempotency_key: 'k', path: 'rules/t.md', content },
      { principal: vault.localPrincipal() },
    );
    expect(response.success).toBe(true);
    await vault.close();
    const found = ['.ssss', '.ssss-intents'].flatMap(directory => readdirSync(join(root, directory)).map(name => `${directory}/${name}`));
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter(place => !documented.includes(place))).toEqual([]);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
