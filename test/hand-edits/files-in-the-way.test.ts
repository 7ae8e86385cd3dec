import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Vault } from '#api';
import { editedVault, eventually, fileFacts, memory } from './edited-vault.ts';

const found = async (vault: Vault, query: string): Promise<readonly string[]> =>
  (await vault.search(query)).hits.map(({ path }) => path).sort();

test('copies of sync tools are found once, as their document, and listed with both paths; nothing touches them', async () => {
  const { vault, at, edit, commit } = await editedVault();
  await commit('memory/a.md', memory('marmalade'));
  const copies = ['memory/a (conflicted copy 2026-01-01).md', 'memory/a.sync-conflict-20260101-120000-ABCDEFG.md'];
  for (const path of copies) edit(path, memory('marmalade, edited elsewhere'));
  const before = copies.map(path => fileFacts(at(path)));
  expect(await found(vault, 'marmalade')).toEqual(['memory/a.md']);
  const { rows } = await vault.status();
  expect(rows.map(({ kind, path, original }) => [kind, path, original])).toEqual(
    copies.map(path => ['conflict_copy', path, 'memory/a.md']),
  );
  for (const { reason } of rows) expect(reason).toContain("'memory/a.md'");
  expect(copies.map(path => fileFacts(at(path)))).toEqual(before);
});

test('a document with conflict markers is reported with the line, kept as it is, not found, and written by nobody until it is resolved', async () => {
  const { vault, at, edit, commit } = await editedVault();
  await commit('memory/a.md', memory('marmalade'));
  const conflicted = memory('marmalade').replace(
    'status: active',
    '<<<<<<< HEAD\nstatus: active\n=======\nstatus: archived\n>>>>>>> other',
  );
  edit('memory/a.md', conflicted);
  edit('memory/quoted.md', memory('```\n<<<<<<< HEAD\nmarmalade\n=======\njam\n>>>>>>> other\n```', 'quoted'));
  expect(await found(vault, 'marmalade')).toEqual(['memory/quoted.md']);
  const { rows } = await vault.status();
  expect(rows[0]).toMatchObject({ kind: 'conflict_marker', path: 'memory/a.md', reason: expect.stringContaining('line 8') });
  const common = { workspace_id: 'ws', path: 'memory/a.md' };
  for (const [index, envelope] of [
    { type: 'operation', content: memory('overwritten') },
    { type: 'patch', patches: { status: 'archived' } },
    { type: 'delete' },
  ].entries()) {
    const response = await vault.execute({ ...common, idempotency_key: `w${index}`, ...envelope }, { principal: vault.localPrincipal() });
    expect(response, envelope.type).toMatchObject({ success: false });
  }
  expect(readFileSync(at('memory/a.md'), 'utf8')).toBe(conflicted);
  edit('memory/a.md', memory('marmalade resolved'));
  expect(await found(vault, 'resolved')).toEqual(['memory/a.md']);
});

test('a document that is deleted and restored with the same bytes is found again, without drift', async () => {
  const edited = await editedVault();
  const { vault, root, at, commit, rows } = edited;
  execFileSync('git', ['init', '-q'], { cwd: root });
  await commit('memory/a.md', memory('marmalade'));
  execFileSync('git', ['add', 'memory'], { cwd: root });
  expect(await found(vault, 'marmalade')).toEqual(['memory/a.md']);
  rmSync(at('memory/a.md'));
  expect(await found(vault, 'marmalade')).toEqual([]);
  expect(await rows()).toEqual([['drift', 'memory/a.md']]);
  execFileSync('git', ['checkout', '-q', '--', 'memory/a.md'], { cwd: root });
  expect(await found(vault, 'marmalade')).toEqual(['memory/a.md']);
  expect(await rows()).toEqual([]);
});

test('a document that came through the contract is one under any name: temporary, a copy, a side of a merge', async () => {
  const { vault, commit, rows } = await editedVault();
  const names = ['memory/.#x.md', 'memory/._x.md', 'memory/x (conflict resolution).md', 'memory/x.md', 'memory/x_LOCAL_1.md'];
  for (const name of names) await commit(name, memory('marmalade', 'x'));
  const listed: string[] = [];
  for await (const { path } of vault.list({ type: 'ssss:memory' })) listed.push(path);
  expect(listed).toEqual(names);
  expect(await found(vault, 'marmalade')).toEqual(names);
  expect(await rows()).toEqual([]);
  expect((await vault.check()).files).toMatchObject({ documents: names.length, reported: [{ path: '.gitignore' }] });
});

test('temporary files, backups and the sides of a merge are found by nobody', async () => {
  const { vault, edit, commit } = await editedVault();
  await commit('memory/a.md', memory('marmalade'));
  for (const name of ['a.md~', '.a.md.swp', '.a.md.tmp', '#a.md#', '.#a.md', '._a.md', 'a_LOCAL_7.md', 'a_REMOTE_7.md', 'a.md.orig'])
    edit(`memory/${name}`, memory('marmalade aside'));
  expect(await found(vault, 'marmalade')).toEqual(['memory/a.md']);
  expect((await vault.check()).problems).toEqual([]);
});

test('a rename that changes only letter case is a deletion and a new document, and adopted so', async () => {
  const { at, commit, log, rows, watch } = await editedVault({ adopt: 'on-save' });
  await commit('memory/a.md', memory('marmalade'));
  await watch();
  renameSync(at('memory/a.md'), at('memory/A.md'));
  await eventually(async () =>
    expect(await log()).toEqual(['create memory/a.md', 'adopted create memory/A.md', 'adopted delete memory/a.md']),
  );
  expect(await rows()).toEqual([]);
});

test('an edit is found without a word to the vault, and soon in a vault that is watched', async () => {
  const { vault, at, edit, commit, watch } = await editedVault();
  await commit('memory/a.md', memory('marmalade'));
  edit('memory/a.md', memory('quince'));
  expect(await found(vault, 'quince')).toEqual(['memory/a.md']);
  await watch();
  edit('memory/.a.md.tmp', memory('medlar'));
  renameSync(at('memory/.a.md.tmp'), at('memory/a.md'));
  await eventually(async () => expect(await found(vault, 'medlar')).toEqual(['memory/a.md']));
  rmSync(at('memory/a.md'));
  await eventually(async () => expect(await found(vault, 'medlar')).toEqual([]));
});
