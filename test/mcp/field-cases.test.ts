import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Vault } from '#api';
import { initVault, openVault } from '#open-vault';
import { agent, callTool, connectAs, eventsOf, rule } from './mcp-client.ts';

const everything = (vault: Vault) => ({ ...agent('agent:a'), workspaceIds: [vault.workspaceId] });

const openOnDisk = async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-mcp-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const { root } = await initVault({ root: join(directory, 'vault') });
  const open = async (): Promise<Vault> => {
    const vault = await openVault({ root, stateDir: join(directory, 'state') });
    onTestFinished(() => vault.close());
    return vault;
  };
  return { directory, root, open };
};

test('four parallel calls of one turn all succeed on disk, and after a line of the log is damaged by hand everything else stays usable', async () => {
  const { root, open } = await openOnDisk();
  const vault = await open();
  const client = await connectAs(vault, everything(vault));
  await callTool(client, 'write_document', { path: 'rules/old.md', content: rule('Old') });
  const replies = await Promise.all([
    callTool(client, 'write_document', { path: 'rules/new.md', content: rule('New') }),
    callTool(client, 'record_event', { subject: 'orders/1' }),
    callTool(client, 'patch_document', { path: 'rules/old.md', set: { scope: 'x' } }),
    callTool(client, 'acquire_lease', { target: 'rules/new.md', operation_id: 'o' }),
  ]);
  expect(replies.map(reply => reply.said.refused)).toEqual([undefined, undefined, undefined, undefined]);
  await vault.close();
  const [segment = ''] = readdirSync(join(root, '.ssss/events')).filter(name => name.endsWith('.jsonl'));
  appendFileSync(join(root, '.ssss/events', segment), '{"damaged": \n');
  const again = await open();
  const second = await connectAs(again, everything(again));
  expect((await callTool(second, 'history')).json()).toHaveLength(4);
  expect((await callTool(second, 'read_document', { path: 'rules/new.md' })).stored).toBe(rule('New'));
  expect((await callTool(second, 'record_event', { subject: 'orders/2' })).refused).toBe(false);
  expect((await callTool(second, 'history')).json()).toHaveLength(5);
});

test('a link that leads out of the vault is followed by no tool, whether or not something is behind it', async () => {
  const { directory, root, open } = await openOnDisk();
  const vault = await open();
  mkdirSync(join(directory, 'outside'));
  writeFileSync(join(directory, 'outside/there.md'), rule('Secret'));
  mkdirSync(join(root, 'memory'));
  symlinkSync(join(directory, 'outside'), join(root, 'memory/link'));
  const client = await connectAs(vault, everything(vault));
  for (const name of ['there', 'absent']) {
    const path = `memory/link/${name}.md`;
    for (const [tool, input] of [
      ['read_document', { path }],
      ['write_document', { path, content: rule('New') }],
      ['patch_document', { path, set: { a: 1 } }],
      ['append_record', { path, text: 'x' }],
      ['delete_document', { path }],
    ] as const) {
      const reply = await callTool(client, tool, input);
      expect(reply.text, tool).not.toContain('Secret');
      expect(reply.text, tool).not.toContain(directory);
      expect(reply.said.refused, `${tool} ${path}`).toBe('invalid_request');
    }
  }
  // Only the link itself is reported, with its reason; nothing behind it has a path in the vault.
  expect((await callTool(client, 'list_documents', { prefix: 'memory/link/' })).json()).toMatchObject([
    { path: 'memory/link', kind: 'unreadable' },
  ]);
  expect(readdirSync(join(directory, 'outside'))).toEqual(['there.md']);
  expect(await eventsOf(vault)).toEqual([]);
});

test('a document that was changed by hand is not overwritten by an agent that read the version before', async () => {
  const { root, open } = await openOnDisk();
  const vault = await open();
  const client = await connectAs(vault, everything(vault));
  await callTool(client, 'write_document', { path: 'rules/n.md', content: rule('N') });
  const { said } = await callTool(client, 'read_document', { path: 'rules/n.md' });
  appendFileSync(join(root, 'rules/n.md'), '## Added by hand\n');
  const call = { path: 'rules/n.md', content: rule('N', 'One line changed.\n') };
  const replies = [
    await callTool(client, 'write_document', { ...call, base_hash: said.hash }),
    await callTool(client, 'write_document', call),
    await callTool(client, 'delete_document', { path: 'rules/n.md', base_hash: said.hash }),
  ];
  expect(replies.map(reply => reply.said.refused)).toEqual(['version_conflict', 'version_conflict', 'version_conflict']);
  expect((await vault.read('rules/n.md'))?.text).toBe(`${rule('N')}## Added by hand\n`);
  expect(await eventsOf(vault)).toHaveLength(1);
});

test('of two first writers one creates and the other is told so; nothing is a mix of both', async () => {
  const { open } = await openOnDisk();
  const vaults = [await open(), await open()];
  const clients = await Promise.all(vaults.map(vault => connectAs(vault, everything(vault))));
  for (let round = 0; round < 20; round += 1) {
    const path = `rules/r${round}.md`;
    const replies = await Promise.all(
      clients.map((client, index) => callTool(client, 'write_document', { path, content: rule(`W${index}`) })),
    );
    expect(replies.map(reply => reply.said.refused ?? 'created').sort()).toEqual(['created', 'version_conflict']);
    const winner = replies.findIndex(reply => !reply.refused);
    expect((await vaults[0]?.read(path))?.text).toBe(rule(`W${winner}`));
  }
});
