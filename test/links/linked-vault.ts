import { onTestFinished } from 'vitest';
import type { Vault } from '#api';
import { hashContent } from '#document';
import { type MemoryVaultOptions, openMemoryVault } from '#open-vault';

export const rule = (body: string, more = '', title = 'R'): string =>
  `---\ntype: rule\ntitle: ${title}\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nname: r\n${more}---\n${body}`;

export const run = (body: string): string =>
  `---\ntype: run\ntitle: R\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nrun_id: r\nworkflow_id: w\nstatus: succeeded\nstarted_at: "2026-05-16T14:00:00Z"\n---\n${body}`;

export const task = (title = 'T'): string =>
  `---\ntype: task\ntitle: ${title}\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\ntask_id: t\nstatus: pending\ncategory: c\npriority: normal\nsubmitted_by: me\nassigned_to: me\n---\nDo it.\n`;

let keys = 0;

/** Writes documents through the contract, as the person at this machine. */
export const writeAll = async (vault: Vault, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    const envelope = { type: 'operation', workspace_id: vault.workspaceId, idempotency_key: `given-${keys++}`, path, content };
    const response = await vault.execute(envelope, { principal: vault.localPrincipal() });
    if (!response.success) throw new Error(`${path}: ${response.error.message} ${JSON.stringify(response.repair)}`);
  }
};

/** A vault in memory with the given documents. */
export const vaultWith = async (files: Readonly<Record<string, string>>, options: MemoryVaultOptions = {}): Promise<Vault> => {
  const vault = await openMemoryVault(options);
  onTestFinished(() => vault.close());
  await writeAll(vault, files);
  return vault;
};

/** Every file by path. */
export const contents = async (vault: Vault): Promise<Readonly<Record<string, string>>> => {
  const files: Record<string, string> = {};
  for await (const { path } of vault.list()) files[path] = (await vault.read(path))?.text ?? '';
  return files;
};

/** Stores in which other bytes than UTF-8 stand at `path` from now on, as an old editor leaves them. */
export const withForeignBytes = (path: string): NonNullable<MemoryVaultOptions['wrapAdapters']> => {
  const bytes = Buffer.from('Gr\xfc\xdfe', 'latin1');
  return adapters => ({
    ...adapters,
    vfs: {
      ...adapters.vfs,
      read: async asked => (asked === path ? { bytes, hash: hashContent(bytes), version: 'foreign' } : adapters.vfs.read(asked)),
    },
  });
};

export const bodyOf = (text: string): string => text.split('\n---\n').slice(1).join('\n---\n');
