import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import type { WatchFiles } from '#adapter-contracts';
import type { AdoptionResult, Vault, VaultWatch } from '#api';
import { initVault, openVault } from '#open-vault';

/** A valid memory. */
export const memory = (body: string, slug = 'a'): string =>
  `---\ntype: memory\ntitle: Note ${slug}\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\nslug: ${slug}\ncategory: facts\nstatus: active\nschema_version: 1\n---\n${body}\n`;

export const role = `---\ntype: role\ntitle: R\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\nname: R\npermissions: ["ssss:memory:*"]\n---\nText.\n`;

export interface EditedVault {
  readonly root: string;
  readonly vault: Vault;
  /** Opens the same vault once more, as another process would. */
  readonly again: () => Promise<Vault>;
  /** Writes a file past Sheaf. */
  readonly edit: (path: string, text: string | Uint8Array) => void;
  readonly at: (path: string) => string;
  /** Commits a document through the contract. */
  readonly commit: (path: string, text: string) => Promise<void>;
  readonly rows: () => Promise<readonly (readonly [string, string])[]>;
  /** What the log says, in order: action and subject; adoptions as `adopted <action>`. */
  readonly log: () => Promise<readonly string[]>;
  readonly watch: () => Promise<Watched>;
}

interface Watched {
  readonly watch: VaultWatch;
  /** Every path told so far. */
  readonly changed: (string | null)[];
  readonly adoptions: AdoptionResult[];
}

let keys = 0;

/** A vault on disk whose files the test edits by hand; gone when the test ends. */
export const editedVault = async (
  options: { readonly adopt?: 'on-save' | 'manual'; readonly watchFiles?: WatchFiles } = {},
): Promise<EditedVault> => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-edits-')));
  const root = join(base, 'vault');
  await initVault({ root, workspaceId: 'ws' });
  if (options.adopt !== undefined) {
    const file = join(root, '.ssss/workspace.json');
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), adopt: options.adopt }));
  }
  const opened: Vault[] = [];
  const again = async (): Promise<Vault> => {
    const vault = await openVault({
      root,
      stateDir: join(base, 'state'),
      ...(options.watchFiles === undefined ? {} : { watchFiles: options.watchFiles }),
    });
    opened.push(vault);
    return vault;
  };
  onTestFinished(async () => {
    for (const vault of opened) await vault.close();
    rmSync(base, { recursive: true, force: true });
  });
  const vault = await again();
  const at = (path: string): string => join(root, path);
  return {
    root,
    vault,
    again,
    at,
    edit(path, text) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    },
    async commit(path, content) {
      keys += 1;
      const envelope = { type: 'operation', workspace_id: 'ws', idempotency_key: `k${keys}`, path, content };
      const response = await vault.execute(envelope, { principal: vault.localPrincipal() });
      expect(response, JSON.stringify(response)).toMatchObject({ success: true });
    },
    rows: async () => (await vault.status()).rows.map(row => [row.kind, row.path] as const),
    async log() {
      const lines: string[] = [];
      for await (const { event } of vault.events()) {
        const adopted = (event.payload as { event_type?: unknown; action?: unknown } | null)?.event_type === 'document_adopted';
        lines.push(`${adopted ? `adopted ${(event.payload as { action: string }).action}` : event.action} ${event.subject}`);
      }
      return lines;
    },
    async watch() {
      const changed: (string | null)[] = [];
      const adoptions: AdoptionResult[] = [];
      const watch = await vault.watch({
        onChange: paths => void changed.push(...(paths ?? [null])),
        onAdopted: results => void adoptions.push(...results),
      });
      return { watch, changed, adoptions };
    },
  };
};

/** Whatever tells one state of a file from another, its content aside. */
export const fileFacts = (path: string): object => {
  const { ino, mtimeNs, ctimeNs, size } = statSync(path, { bigint: true });
  return { ino, mtimeNs, ctimeNs, size };
};

/** Waits until `check` holds. */
export const eventually = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 15_000, interval: 25 });

export const pause = (milliseconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, milliseconds));
