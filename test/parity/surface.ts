import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { createConceptEmbedder, serveEmbedder } from '#adapter-contracts/testing';
import type { CallName, Vault } from '#api';
import { initVault, openVault, vaultEmbedder } from '#open-vault';
import { type Outcome, type Step, type Who, workspace } from './step.ts';

/** One way to make the calls of the product. */
export interface Surface {
  readonly name: string;
  /** Calls that this surface does not offer. */
  readonly missing: readonly CallName[];
  ask(call: CallName, input: Readonly<Record<string, unknown>>, who: Who): Promise<Outcome>;
  /** What this surface tells of an answer of the library, where that is less than all. */
  shown?(call: CallName, outcome: Outcome): Outcome;
}

/** A vault of its own for one surface, with the same agent in each. */
export interface ParityVault {
  readonly root: string;
  readonly stateDir: string;
  readonly vault: Vault;
  readonly clerkToken: string;
  readonly principalOf: (who: Who) => Promise<unknown>;
}

export const clerk = 'agent:clerk';

/** One for all surfaces, so that they all tell of the same address. */
const embedderServer = serveEmbedder(createConceptEmbedder());
afterAll(async () => (await embedderServer).close());

export const makeParityVault = async (): Promise<ParityVault> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-parity-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const root = join(directory, 'vault');
  await initVault({ root, workspaceId: workspace });
  // Where the command line of this test looks, too; it names the vault's directory itself.
  process.env.SHEAF_STATE_DIR = join(directory, 'state');
  vaultEmbedder({ root }).write({ kind: 'endpoint', base_url: (await embedderServer).baseUrl, model: 'concept-table' });
  const vault = await openVault({ root });
  onTestFinished(() => vault.close());
  const { token } = await vault.principals.add({ id: clerk, kind: 'agent', capabilities: ['ssss:rule:read', 'write:event', 'run:task'] });
  return {
    root,
    stateDir: join(directory, 'state'),
    vault,
    clerkToken: token,
    principalOf: async who => {
      if (who === 'nobody') return null;
      return who === 'person' ? vault.localPrincipal() : vault.principals.find(clerk, workspace);
    },
  };
};

/** What a surface said to each step that it offers. */
export const runTable = async (surface: Surface, root: string, table: readonly Step[]): Promise<ReadonlyMap<string, Outcome>> => {
  const outcomes = new Map<string, Outcome>();
  const given = (name: string): Readonly<Record<string, unknown>> => {
    const outcome = outcomes.get(name);
    return outcome !== undefined && 'output' in outcome ? (outcome.output as Readonly<Record<string, unknown>>) : {};
  };
  for (const { name, who, call, input, edit = {} } of table) {
    for (const [path, text] of Object.entries(edit)) writeFileSync(join(root, path), text);
    if (surface.missing.includes(call)) continue;
    outcomes.set(name, await surface.ask(call, input(given), who));
  }
  return outcomes;
};

/**
 * Ids, tokens, cursors and times differ by nature, and so does how somebody was authenticated; which ids are equal to each other within one answer does
 * not.
 */
export const plain = <T>(value: T): T => {
  const seen = new Map<string, string>();
  const numbered = (text: string): string => {
    const known = seen.get(text) ?? `<${seen.size + 1}>`;
    seen.set(text, known);
    return known;
  };
  const text = JSON.stringify(value, (key, member: unknown) => (opaque.includes(key) ? '<opaque>' : member))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numbered)
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, '<time>');
  return JSON.parse(text) as T;
};

const opaque = ['token', 'secret', 'cursor', 'provider', 'milliseconds'];
