import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { seededRandom } from '#adapter-contracts/testing';
import type { Vault } from '#api';
import { initVault, openVault } from '#open-vault';
import { checkPromises, createHistory, eventsOf, type History, type Request } from '../crash/history.ts';
import { deleteDocument, patchDocument, recordEvent, send, writeRule } from './requests.ts';

// Only to end what hangs: a machine that does much else takes a hundred times as long.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const startSeed = Number(process.env.SHEAF_SEED ?? Date.now() % 1_000_000);
const requests = process.env.SHEAF_SOAK ? 5_000 : 150;

let base = '';
let opened: Vault[] = [];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sheaf-two-'));
});
afterEach(async () => {
  for (const vault of opened) await vault.close();
  opened = [];
  rmSync(base, { recursive: true, force: true });
});

const open = async (root: string): Promise<Vault> => {
  const vault = await openVault({ root, stateDir: join(base, 'state') });
  opened.push(vault);
  return vault;
};
const make = async (name: string): Promise<string> => (await initVault({ root: join(base, name), workspaceId: 'ws-crash' })).root;

/** Random changes of few paths, many at once, by whichever of the openings. */
const crowd = async (history: History, vaults: readonly Vault[], seed: number): Promise<void> => {
  const random = seededRandom(seed);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const next = (): Request => {
    const path = `rules/${pick(['a', 'b', 'c', 'deep/d'])}.md`;
    const roll = random();
    if (roll < 0.5) return writeRule(path, `text ${random()}`);
    if (roll < 0.7) return patchDocument(path, { scope: `scope ${random()}` });
    return roll < 0.85 ? deleteDocument(path) : recordEvent('shop/door');
  };
  const caller = async (): Promise<void> => {
    for (let left = requests / 6; left > 0; left -= 1) {
      const { error } = await send(history, pick(vaults), next());
      if (error) expect(['version_conflict', 'not_found'], error.message).toContain(error.code);
    }
  };
  await Promise.all(Array.from({ length: 6 }, caller));
};

test(`one vault opened three times in one process, once through a link, takes turns as three processes do (seed ${startSeed})`, async () => {
  const root = await make('vault');
  symlinkSync(root, join(base, 'link'));
  const vaults = [await open(root), await open(root), await open(join(base, 'link'))];
  const history = createHistory();
  await crowd(history, vaults, startSeed);
  const events = await checkPromises(history, vaults[0]!);
  expect(events.length).toBeGreaterThan(requests / 4);
  for (const vault of vaults) {
    expect(vault.root, 'a link is the vault it leads to').toBe(vaults[0]!.root);
    expect((await eventsOf(vault)).map(event => event.event_id)).toEqual(events.map(event => event.event_id));
    expect((await vault.status()).rows).toEqual([]);
    expect((await vault.recover()).in_flight).toEqual([]);
  }
});

test('the same request sent through two openings of one vault is applied once', async () => {
  const root = await make('vault');
  const vaults = [await open(root), await open(root)];
  const history = createHistory();
  for (let round = 0; round < 20; round += 1) {
    const request = writeRule('rules/a.md', `round ${round}`);
    const answers = await Promise.all(vaults.map(vault => send(history, vault, request)));
    expect(answers.map(({ error }) => error?.message)).toEqual([undefined, undefined]);
    expect(new Set(answers.map(answer => answer.event_id)).size).toBe(1);
    expect(answers.filter(answer => answer.replay === true).length).toBe(1);
  }
  expect((await checkPromises(history, vaults[0]!)).length).toBe(20);
});

test('a lease taken through one opening of a vault is held against the other', async () => {
  const root = await make('vault');
  const [one, other] = [await open(root), await open(root)];
  const claim = { workspace_id: 'ws-crash', target: 'rules/a.md', principal_id: 'agent:a', operation_id: 'job' };
  const taken = await Promise.allSettled([one, other].map(vault => vault.leases.acquire(claim)));
  expect(taken.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await one.leases.list('ws-crash')).toEqual(await other.leases.list('ws-crash'));
});

test(`two vaults in one process, one workspace id, share nothing (seed ${startSeed})`, async () => {
  const vaults = [await open(await make('one')), await open(await make('two'))];
  const histories = [createHistory(), createHistory()];
  await Promise.all(vaults.map((vault, index) => crowd(histories[index]!, [vault], startSeed + index)));
  for (const [index, vault] of vaults.entries()) await checkPromises(histories[index]!, vault);
  const same = writeRule('rules/same-key.md', 'the same request to each vault');
  for (const [index, vault] of vaults.entries()) expect(await send(histories[index]!, vault, same)).toMatchObject({ success: true });
  const [one, two] = await Promise.all(vaults.map(async vault => new Set((await eventsOf(vault)).map(event => event.event_id))));
  expect([...one!].filter(id => two!.has(id))).toEqual([]);
});

test('a vault inside another is a vault of its own: each refuses, lists and records only what is its own', async () => {
  const outer = await open(await make('outer'));
  const inner = await open(await make('outer/inner'));
  const histories = [createHistory(), createHistory()];
  expect(await send(histories[0]!, outer, writeRule('rules/a.md', 'outer'))).toMatchObject({ success: true });
  expect(await send(histories[1]!, inner, writeRule('rules/a.md', 'inner'))).toMatchObject({ success: true });
  expect((await send(histories[0]!, outer, writeRule('inner/.ssss/policy.md', 'x'))).error?.code).toBe('invalid_request');
  for (const [index, vault] of [outer, inner].entries()) expect((await eventsOf(vault)).length, String(index)).toBe(1);
  expect((await inner.read('rules/a.md'))?.text).toContain('inner');
});
