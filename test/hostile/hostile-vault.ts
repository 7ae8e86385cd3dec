// Vaults and envelopes for hostile input.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal } from '#adapter-contracts';
import type { KernelResponse } from '#kernel';
import { initVault, openMemoryVault, openVault } from '#open-vault';

/** Ten times what the slowest test takes on an idle machine; the long run may take as long as it likes. */
export const patience = { timeout: process.env.SHEAF_SOAK ? 3_600_000 : 120_000 };

export const mebibyte = 1024 * 1024;

export const person: Principal = {
  id: 'local:ada',
  kind: 'human',
  workspaceIds: ['ws-a'],
  capabilities: ['*:*'],
  authentication: { provider: 'test', assurance: 'verified' },
};

/** A whole rule; `fields` are further lines of frontmatter. */
export const rule = (body: string, fields = ''): string =>
  `---\ntype: rule\ntitle: T\ndescription: D\ntimestamp: 2026-01-01T00:00:00Z\nname: r\n${fields}---\n${body}`;

let keys = 0;
const envelope = (type: string, path: string, more: object): object => ({
  type,
  workspace_id: 'ws-a',
  idempotency_key: `hostile-${++keys}`,
  path,
  ...more,
});
export const op = (path: string, content: string, more: object = {}): object => envelope('operation', path, { content, ...more });
export const patch = (path: string, patches: object, more: object = {}): object => envelope('patch', path, { patches, ...more });
export const evt = (path: string, content: string, more: object = {}): object => envelope('event', path, { content, ...more });
export const del = (path: string, more: object = {}): object => envelope('delete', path, more);

export type Vault = Awaited<ReturnType<typeof openVault>>;

/** Sends as the person; the answer in one word, `ok` or the code. */
export const codeOf = (response: KernelResponse): string => (response.success ? 'ok' : response.error.code);
export const send = (vault: Vault, sent: unknown): Promise<KernelResponse> => vault.execute(sent, { principal: person });
export const code = async (vault: Vault, sent: unknown): Promise<string> => codeOf(await send(vault, sent));

export const memoryVault = (options: Parameters<typeof openMemoryVault>[0] = {}): Promise<Vault> =>
  openMemoryVault({ workspaceId: 'ws-a', ...options });

/** A new directory for one test, in memory where the machine has such a place; removed by `end`. */
export const temporaryPlace = (): { readonly base: string; readonly root: string; readonly end: () => void } => {
  const base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sheaf-hostile-'));
  return { base, root: join(base, 'vault'), end: () => rmSync(base, { recursive: true, force: true }) };
};

/** Runs `work` on a vault on disk. */
export const withDiskVault = async (work: (vault: Vault, root: string, base: string) => Promise<void>): Promise<void> => {
  const { base, root, end } = temporaryPlace();
  try {
    await initVault({ root, workspaceId: 'ws-a' });
    const vault = await openVault({ root, stateDir: join(base, 'state') });
    try {
      await work(vault, root, base);
    } finally {
      await vault.close();
    }
  } finally {
    end();
  }
};
