import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { initVault, openVault } from '#open-vault';

const document = (type: string, lines: readonly string[] = []) =>
  ['---', `type: ${type}`, 'title: "T"', 'description: D', 'timestamp: 2026-05-16T14:00:00Z', ...lines, '---', 'B', ''].join('\n');

test('a status builds no projection of documents before there may be something that fires', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-status-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  await initVault({ root, workspaceId: 'ws-status' });
  const vault = await openVault({ root });
  onTestFinished(() => vault.close());
  const write = async (path: string, content: string) => {
    const envelope = { type: 'operation', workspace_id: vault.workspaceId, idempotency_key: path, path, content };
    expect(await vault.execute(envelope, { principal: vault.localPrincipal() })).toMatchObject({ success: true });
  };
  const built = async () => (await vault.index.status()).filter(({ state }) => state !== 'missing').map(({ id }) => id);
  await write('rules/a.md', document('rule', ['name: n']));
  expect((await vault.status()).rows).toEqual([]);
  expect(await built()).toEqual(['runtime']);
  writeFileSync(join(root, 'rules', 'by-hand.md'), document('workflow'));
  expect((await vault.status()).rows).toMatchObject([{ kind: 'untracked' }, { kind: 'trigger_error' }]);
  expect(await built()).toEqual(['runtime', 'work']);
});
