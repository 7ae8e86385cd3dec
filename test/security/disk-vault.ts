import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Principal, Vault } from '#api';
import { initVault, openVault, vaultTrust } from '#open-vault';

export interface DiskVault {
  readonly root: string;
  readonly stateDir: string;
  /** Opened anew; closed when the test ends. */
  readonly open: () => Promise<Vault>;
  readonly trust: () => ReturnType<typeof vaultTrust>;
  /** Writes a file behind the contract's back. */
  readonly writeOutside: (path: string, text: string) => void;
}

/** A vault in a directory of its own with machine state of its own; by default one whose person has trusted it. */
export const diskVault = async (options: { readonly trusted?: boolean } = {}): Promise<DiskVault> => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-security-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const { root } = await initVault({ root: join(base, 'vault'), workspaceId: 'ws-a' });
  return vaultAt(root, join(base, 'state'), options);
};

/** The same for a vault that is there already, as another machine would see it. */
export const vaultAt = async (
  root: string,
  stateDir: string,
  { trusted = true }: { readonly trusted?: boolean } = {},
): Promise<DiskVault> => {
  const trust = () => vaultTrust({ root, stateDir });
  if (trusted) await trust().accept();
  return {
    root,
    stateDir,
    trust,
    open: async () => {
      const vault = await openVault({ root, stateDir });
      onTestFinished(() => vault.close());
      return vault;
    },
    writeOutside: (path, text) => writeFileSync(join(root, path), text),
  };
};

export const roleText = (permissions: readonly string[]): string =>
  `---\ntype: role\ntitle: Desk\ndescription: The front desk.\ntimestamp: "2026-05-16T14:00:00Z"\nname: desk\npermissions: [${permissions.map(one => `'${one}'`).join(', ')}]\n---\nBody.\n`;

let keys = 0;
/** One envelope as a principal; fails loudly when it is refused. */
export const write = async (vault: Vault, principal: Principal, path: string, content: string | null): Promise<void> => {
  keys += 1;
  const envelope = { workspace_id: 'ws-a', idempotency_key: `disk-${keys}`, path };
  const response = await vault.execute(content === null ? { type: 'delete', ...envelope } : { type: 'operation', content, ...envelope }, {
    principal,
  });
  if (!response.success) throw new Error(response.error.message);
};
