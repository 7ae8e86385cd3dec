import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { initVault, openVault } from '#open-vault';
import type { Vault } from '../vault.ts';

const rule = (body: string): string =>
  `---\ntype: rule\ntitle: Tone\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nname: tone\n---\n${body}`;
const path = 'rules/tone.md';

const makeVault = async (settings: object = {}) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-past-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'vault');
  await initVault({ root, workspaceId: 'ws' });
  const file = join(root, '.ssss/workspace.json');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...settings }));
  const open = async (): Promise<Vault> => {
    const vault = await openVault({ root, stateDir: join(base, 'state') });
    onTestFinished(() => vault.close());
    return vault;
  };
  return { root, open };
};

let keys = 0;
const write = async (vault: Vault, content: string): Promise<string> => {
  keys += 1;
  const envelope = { type: 'operation', workspace_id: 'ws', idempotency_key: `k${keys}`, path, content };
  const response = await vault.execute(envelope, { principal: vault.localPrincipal() });
  expect(response).toMatchObject({ success: true });
  return (response as { event_id: string }).event_id;
};

const keptIn = (root: string): readonly string[] => {
  const history = join(root, '.ssss/history');
  return existsSync(history) ? readdirSync(history).flatMap(shard => readdirSync(join(history, shard)).map(name => `${shard}${name}`)) : [];
};

test('every version outlives its process, whichever process wrote it, and can be undone by another', async () => {
  const { root, open } = await makeVault();
  const first = await open();
  const second = await open();
  await write(first, rule('One.\n'));
  const replaced = await write(second, rule('Two.\n'));
  await first.close();
  await second.close();
  expect(keptIn(root)).toHaveLength(2);
  const third = await open();
  expect((await third.history.change(replaced)).before.content).toBe(rule('One.\n'));
  await third.history.undo(replaced, { principal: third.localPrincipal() });
  expect(readFileSync(join(root, path), 'utf8')).toBe(rule('One.\n'));
});

test('a content that a crash lost is caught when the next change takes its place', async () => {
  const { root, open } = await makeVault();
  const vault = await open();
  const lost = await write(vault, rule('Lost.\n'));
  await vault.history.flush();
  rmSync(join(root, '.ssss/history'), { recursive: true });
  // The document still holds it.
  expect((await vault.history.change(lost)).after.content).toBe(rule('Lost.\n'));
  await write(vault, rule('Next.\n'));
  await vault.close();
  expect((await (await open()).history.change(lost)).after.content).toBe(rule('Lost.\n'));
});

test('where history is switched off nothing is kept, and what is missing is said', async () => {
  const { root, open } = await makeVault({ history: { enabled: false } });
  const vault = await open();
  await write(vault, rule('One.\n'));
  const replaced = await write(vault, rule('Two.\n'));
  await vault.history.flush();
  expect(keptIn(root)).toEqual([]);
  expect(await vault.history.change(replaced)).toMatchObject({
    diff: null,
    before: { content: null, missing: expect.stringContaining('not kept') },
  });
});

test('a collection keeps to the limit in workspace.json', async () => {
  const { open } = await makeVault({ history: { max_bytes: 0 } });
  const vault = await open();
  await write(vault, rule('One.\n'));
  await write(vault, rule('Two.\n'));
  // Both are younger than a minute.
  expect(await vault.history.collect({ dryRun: true })).toMatchObject({ kept: { contents: 2 }, removed: { contents: 0 } });
});

test('switching the history in git on is written down, keeps the rest of the file, and needs a directory', async () => {
  const { root, open } = await makeVault({ history: { max_age_days: 9 } });
  const vault = await open();
  await vault.history.git?.enable(true);
  expect(JSON.parse(readFileSync(join(root, '.ssss/workspace.json'), 'utf8'))).toMatchObject({
    git_history: true,
    history: { max_age_days: 9 },
  });
  expect((await open()).history.git?.enabled()).toBe(true);
  await vault.history.git?.enable(false);
  expect((await open()).history.git?.enabled()).toBe(false);
});

test('a file that is no text is said to be none, in one sentence', async () => {
  const { root, open } = await makeVault();
  const vault = await open();
  await write(vault, rule('One.\n'));
  writeFileSync(join(root, path), Buffer.from([0x2d, 0xff]));
  await expect(vault.history.blame(path)).rejects.toThrow(/first bad byte at offset 1\.$/);
  expect((await vault.history.diff(path)).to.missing).toMatch(/first bad byte at offset 1$/);
});
