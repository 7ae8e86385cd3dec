// What every benchmark of commits needs: a vault of ours, documents that never repeat, a directory that goes away.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { initVault, openVault } from '#open-vault';
import { generateDocument } from './generate-vault.mjs';

export const principal = {
  id: 'local:bench',
  kind: 'human',
  workspaceIds: ['ws-bench'],
  capabilities: ['*:*'],
  authentication: { provider: 'os', assurance: 'verified' },
};

let unique = 0;
/** A new document: vault path and text. `prefix` keeps processes apart. */
export const rule = (prefix = 'rule') => {
  const index = unique++;
  const { content } = generateDocument(3, 100, index + 1);
  return { name: `${prefix}-${index}.md`, path: `rules/${prefix}-${index}.md`, content };
};

/** A vault of ours in `root`, and a `commit` that throws when it is refused. */
export const openOurs = async (root, { init = true } = {}) => {
  if (init) await initVault({ root, workspaceId: 'ws-bench' });
  const vault = await openVault({ root });
  const commit = async ({ path, content }) => {
    const response = await vault.execute(
      { type: 'operation', workspace_id: 'ws-bench', idempotency_key: `bench-${path}`, path, content },
      { principal },
    );
    if (!response.success) throw new Error(`${response.error.code}: ${response.error.message}`);
  };
  return { vault, commit, close: () => vault.close() };
};

export const inFreshDirectory = async (base, work) => {
  const root = mkdtempSync(join(base, 'sheaf-bench-'));
  const state = process.env.SHEAF_STATE_DIR;
  // The benchmark leaves nothing in the user's own state directory.
  process.env.SHEAF_STATE_DIR = join(root, '.state');
  mkdirSync(process.env.SHEAF_STATE_DIR);
  try {
    return await work(root);
  } finally {
    if (state === undefined) delete process.env.SHEAF_STATE_DIR;
    else process.env.SHEAF_STATE_DIR = state;
    rmSync(root, { recursive: true, force: true });
  }
};
