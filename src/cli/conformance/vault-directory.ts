import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { vaultStateDir } from '#api';
import { initVault, openVault, vaultTrust } from '#open-vault';
import type { JsonMap } from './json.ts';
import type { Given } from './scenario.ts';

/** A directory with everything a scenario starts from but its documents. */
export const makeVaultDirectory = async (given: Given): Promise<string> => {
  const root = join(await mkdtemp(join(tmpdir(), 'sheaf-conformance-')), 'vault');
  const { root: made } = await initVault({ root, workspaceId: given.workspace ?? 'ws-a' });
  await configure(made, given);
  for (const [path, content] of Object.entries(given.files ?? {})) await writeOutside(made, path, content);
  return made;
};

export const removeVaultDirectory = (root: string): Promise<void> => rm(dirname(root), { recursive: true, force: true });

const configure = async (root: string, given: Given): Promise<void> => {
  const inVault = (...path: readonly string[]): string => join(root, '.ssss', ...path);
  if (given.policy !== undefined) await writeFile(inVault('policy.json'), JSON.stringify(given.policy));
  if (given.registry === undefined) return;
  for (const extension of given.registry) await writeFile(inVault('extensions', `${extension.registry}.json`), JSON.stringify(extension));
  const workspace = { workspace_id: given.workspace ?? 'ws-a', spec_version: '0.9', created_at: '2026-05-16T14:00:00Z' };
  const extensions = given.registry.map(extension => extension.registry);
  await writeFile(inVault('workspace.json'), JSON.stringify({ ...workspace, extensions }));
  if (given.registry_drift === true) await driftFromLock(root, given.registry);
  if (given.symlink_registry === true) await linkRegistry(root, extensions);
  await trustRegistry(root);
};

/** The scenarios are about vaults whose extensions are in force; where the library and where a process keeps that, by `sheaf-process.ts`. */
const trustRegistry = async (root: string): Promise<void> => {
  try {
    for (const stateDir of [`${root}.state`, vaultStateDir(root, { SHEAF_STATE_DIR: `${root}.state` })])
      await vaultTrust({ root, stateDir }).accept();
  } catch {
    // Some scenarios are about registries that cannot be loaded; the vault says so itself.
  }
};

// Locked as it is, then changed by one enum.
const driftFromLock = async (root: string, registry: Given['registry'] & object): Promise<void> => {
  const vault = await openVault({ root, stateDir: `${root}.state` });
  await vault.registryFiles?.lock();
  await vault.close();
  for (const extension of registry) {
    const primitives = Object.entries(extension.primitives as JsonMap).map(([type, definition]) => [
      type,
      { ...(definition as JsonMap), enums: { x: ['y'] } },
    ]);
    await writeFile(
      join(root, '.ssss/extensions', `${extension.registry}.json`),
      JSON.stringify({ ...extension, primitives: Object.fromEntries(primitives) }),
    );
  }
};

const linkRegistry = async (root: string, extensions: readonly string[]): Promise<void> => {
  for (const id of extensions) {
    const file = join(root, '.ssss/extensions', `${id}.json`);
    const elsewhere = join(dirname(root), `${id}.json`);
    await writeFile(elsewhere, '{}');
    await rm(file);
    await symlink(elsewhere, file);
  }
};

/** Writes or removes a file behind the contract's back, as an editor would. */
export const writeOutside = async (root: string, path: string, content: string | Uint8Array | null): Promise<void> => {
  const file = join(root, path);
  if (content === null) return rm(file);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
};

export const makeLinks = async (root: string, given: Given): Promise<void> => {
  await mkdir(join(dirname(root), 'outside'), { recursive: true });
  await writeFile(join(dirname(root), 'outside', 'file.md'), 'outside\n');
  for (const [path, target] of Object.entries(given.links ?? {})) await symlink(target, join(root, path));
};
