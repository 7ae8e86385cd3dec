import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { WatchFiles } from '#adapter-contracts';
import { editedVault, eventually, fileFacts, memory, pause } from './edited-vault.ts';

test('a save by hand is noticed once, and nobody writes to the file or the log because of it', async () => {
  const { vault, at, edit, commit, log, watch } = await editedVault();
  await commit('memory/a.md', memory('one'));
  const { changed } = await watch();
  edit('memory/a.md', memory('two'));
  const saved = fileFacts(at('memory/a.md'));
  await eventually(() => expect(changed).toEqual(['memory/a.md']));
  await pause(700);
  expect(changed).toEqual(['memory/a.md']);
  expect(fileFacts(at('memory/a.md'))).toEqual(saved);
  expect(await log()).toEqual(['create memory/a.md']);
  expect((await vault.status()).rows).toMatchObject([{ kind: 'drift', path: 'memory/a.md', change: 'replace' }]);
  expect(vault.activity().watching).toMatchObject({ mode: 'events', reason: null, adopts: false, changes: 1, adopted: 0 });
});

test('every way in which editors save is one change of the document', async () => {
  const { at, edit, commit, watch } = await editedVault();
  await commit('memory/a.md', memory('one'));
  const { changed } = await watch();
  const saves: readonly (() => void)[] = [
    () => edit('memory/a.md', memory('in place')),
    () => {
      edit('memory/.a.md.tmp', memory('aside'));
      renameSync(at('memory/.a.md.tmp'), at('memory/a.md'));
    },
    () => {
      renameSync(at('memory/a.md'), at('memory/a.md~'));
      edit('memory/a.md', memory('backup kept'));
      rmSync(at('memory/a.md~'));
    },
    () => {
      edit('memory/.a.md.swp', 'b0VIM');
      edit('memory/4913', '');
      rmSync(at('memory/4913'));
      writeFileSync(at('memory/a.md'), '');
      writeFileSync(at('memory/a.md'), memory('cut short first'));
      rmSync(at('memory/.a.md.swp'));
    },
    () => {
      rmSync(at('memory/a.md'));
      edit('memory/a.md', memory('removed first'));
    },
  ];
  for (const [index, save] of saves.entries()) {
    save();
    await eventually(() => expect(changed.length).toBe(index + 1));
  }
  await pause(300);
  expect(changed).toEqual(saves.map(() => 'memory/a.md'));
});

test('commits through the contract are no hand edits, however many there are', async () => {
  const { commit, rows, log, watch } = await editedVault({ adopt: 'on-save' });
  const { adoptions } = await watch();
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(Array.from({ length: 10 }, (_, index) => commit(`memory/n${index}.md`, memory(`round ${round}`, `n${index}`))));
    await pause(60);
  }
  await pause(800);
  expect(adoptions).toEqual([]);
  expect(await log()).toHaveLength(50);
  expect(await rows()).toEqual([]);
});

test('directories that are made, moved and removed are followed', async () => {
  const { at, edit, commit, watch, rows } = await editedVault();
  await commit('memory/deep/a.md', memory('one'));
  const { changed } = await watch();
  renameSync(at('memory/deep'), at('memory/moved'));
  await eventually(() => expect(changed).toEqual(['memory/deep/', 'memory/moved/']));
  expect(await rows()).toEqual([
    ['drift', 'memory/deep/a.md'],
    ['untracked', 'memory/moved/a.md'],
  ]);
  changed.length = 0;
  edit('memory/moved/b.md', memory('b', 'b'));
  await eventually(() => expect(changed).toEqual(['memory/moved/b.md']));
  mkdirSync(at('memory/new/er'), { recursive: true });
  edit('memory/new/er/c.md', memory('c', 'c'));
  await eventually(() => expect(changed).toContain('memory/new/'));
});

test('the watch ends with its signal, with the vault, and only once', async () => {
  const { vault, edit, watch, again } = await editedVault();
  const first = await watch();
  const ending = new AbortController();
  const paths: unknown[] = [];
  await vault.watch({ signal: ending.signal, onChange: changed => void paths.push(changed) });
  ending.abort();
  await first.watch.close();
  await first.watch.close();
  expect(vault.activity().watching).toBeNull();
  edit('memory/a.md', memory('a'));
  await pause(300);
  expect([first.changed, paths]).toEqual([[], []]);
  const other = await again();
  await other.watch();
  await other.close();
});

test('a vault whose directory is gone is said while it is watched', async () => {
  const { vault, root, watch } = await editedVault();
  await watch();
  renameSync(root, `${root}-away`);
  await eventually(() => expect(vault.notices()).toContainEqual(expect.objectContaining({ kind: 'watch_scanning' })));
  expect(vault.activity().watching).toMatchObject({ mode: 'scanning', reason: expect.stringMatching(/gone|ENOENT/) });
  renameSync(`${root}-away`, root);
});

test('where the system tells nothing, the vault is looked through every few seconds, and says so', async () => {
  const watchFiles: WatchFiles = async listener => {
    listener.lost('nobody tells');
    return { busy: () => false, close: () => undefined };
  };
  const { vault, at, edit, commit, log, watch } = await editedVault({ adopt: 'on-save', watchFiles });
  await commit('memory/a.md', memory('one'));
  const { changed } = await watch();
  expect(vault.activity().watching).toMatchObject({ mode: 'scanning', reason: 'nobody tells' });
  expect((await vault.status()).notices).toMatchObject([{ kind: 'watch_scanning', message: expect.stringContaining('nobody tells') }]);
  await pause(200);
  edit('memory/a.md', memory('two'));
  edit('memory/b.md', memory('new', 'b'));
  await eventually(() => expect(changed).toEqual([null]));
  await eventually(async () =>
    expect((await log()).slice(1).sort()).toEqual(['adopted create memory/b.md', 'adopted replace memory/a.md']),
  );
  expect(fileFacts(at('memory/a.md'))).toMatchObject({ size: BigInt(memory('two').length) });
});
