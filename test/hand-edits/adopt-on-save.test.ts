import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { editedVault, eventually, fileFacts, memory, pause, role } from './edited-vault.ts';

test('valid hand edits are recorded when they have settled, as the person at this machine, and the files stay untouched', async () => {
  const { vault, at, edit, commit, log, rows, watch } = await editedVault({ adopt: 'on-save' });
  await commit('memory/a.md', memory('one'));
  await commit('memory/gone.md', memory('one', 'gone'));
  const { adoptions } = await watch();
  edit('memory/a.md', memory('two'));
  edit('memory/new.md', memory('new', 'new'));
  rmSync(at('memory/gone.md'));
  const saved = fileFacts(at('memory/a.md'));
  await eventually(() => expect(adoptions).toHaveLength(3));
  expect((await log()).slice(2).sort()).toEqual([
    'adopted create memory/new.md',
    'adopted delete memory/gone.md',
    'adopted replace memory/a.md',
  ]);
  expect(await rows()).toEqual([]);
  expect(fileFacts(at('memory/a.md'))).toEqual(saved);
  for await (const { event } of vault.events()) expect(event.principal.id).toBe(vault.localPrincipal().id);
  expect(vault.activity().watching).toMatchObject({ adopts: true, adopted: 3 });
});

test('what was edited while nobody watched is adopted when the watch begins', async () => {
  const { edit, commit, log, watch } = await editedVault({ adopt: 'on-save' });
  await commit('memory/a.md', memory('one'));
  edit('memory/a.md', memory('two'));
  await watch();
  await eventually(async () => expect(await log()).toEqual(['create memory/a.md', 'adopted replace memory/a.md']));
});

test('with "manual", or without a word, nothing is adopted', async () => {
  for (const options of [{ adopt: 'manual' }, {}] as const) {
    const { edit, commit, log, watch } = await editedVault(options);
    await commit('memory/a.md', memory('one'));
    await watch();
    edit('memory/a.md', memory('two'));
    await pause(900);
    expect(await log()).toEqual(['create memory/a.md']);
  }
});

test('what needs a person stays drifted: rights, invalid documents, conflict markers, copies, temporary files', async () => {
  const { edit, commit, log, rows, watch } = await editedVault({ adopt: 'on-save' });
  await commit('memory/a.md', memory('one'));
  await commit('memory/m.md', memory('one', 'm'));
  const { adoptions } = await watch();
  edit('roles/r/ROLE.md', role);
  edit('memory/a.md', memory('two').replace('status: active\n', ''));
  edit('memory/m.md', memory('<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other', 'm'));
  edit('memory/a.sync-conflict-20260101-120000-ABCDEFG.md', memory('copy'));
  edit('memory/.a.md.tmp', memory('temporary'));
  edit('memory/a.md~', memory('backup'));
  edit('notes/plain.md', 'No document.\n');
  // The last to be saved is adopted; by then the others were looked at.
  await pause(600);
  edit('memory/last.md', memory('last', 'last'));
  await eventually(async () => expect(await log()).toContain('adopted create memory/last.md'));
  expect((await log()).slice(2)).toEqual(['adopted create memory/last.md']);
  expect(await rows()).toEqual([
    ['drift', 'memory/a.md'],
    ['conflict_copy', 'memory/a.sync-conflict-20260101-120000-ABCDEFG.md'],
    ['conflict_marker', 'memory/m.md'],
    ['untracked', 'roles/r/ROLE.md'],
  ]);
  const told = adoptions.filter(({ outcome }) => outcome !== 'adopted');
  expect(told.map(({ path, outcome }) => `${path} ${outcome}`).sort()).toEqual([
    'memory/a.md refused',
    'roles/r/ROLE.md needs_confirmation',
  ]);
});

test('an invalid document is adopted as soon as it is mended', async () => {
  const { edit, commit, log, watch } = await editedVault({ adopt: 'on-save' });
  await commit('memory/a.md', memory('one'));
  const { adoptions } = await watch();
  edit('memory/a.md', memory('two').replace('status: active\n', ''));
  await eventually(() => expect(adoptions).toMatchObject([{ outcome: 'refused', problems: [{ field: 'status' }] }]));
  edit('memory/a.md', memory('two'));
  await eventually(async () => expect(await log()).toEqual(['create memory/a.md', 'adopted replace memory/a.md']));
});

test('several watchers of one vault record an edit once', async () => {
  const { vault, again, edit, commit, log } = await editedVault({ adopt: 'on-save' });
  await commit('memory/a.md', memory('one'));
  const others = [await again(), await again()];
  const outcomes: string[] = [];
  for (const each of [vault, ...others])
    await each.watch({ onAdopted: results => void outcomes.push(...results.map(({ outcome }) => outcome)) });
  for (let index = 0; index < 10; index += 1) edit(`memory/n${index}.md`, memory('n', `n${index}`));
  edit('memory/a.md', memory('two'));
  await eventually(async () => expect(await log()).toHaveLength(12));
  await pause(600);
  expect(await log()).toHaveLength(12);
  expect(outcomes.filter(outcome => outcome === 'refused')).toEqual([]);
});

test('a document that is gone for a moment, moved away and back, evicted or replaced by a link is not recorded as deleted', async () => {
  const { at, edit, commit, log, rows, watch } = await editedVault({ adopt: 'on-save' });
  for (const slug of ['a', 'b', 'evicted', 'linked']) await commit(`memory/${slug}.md`, memory('one', slug));
  await watch();
  renameSync(at('memory/a.md'), at('memory/a.md~'));
  rmSync(at('memory/b.md'));
  rmSync(at('memory/evicted.md'));
  edit('memory/.evicted.md.icloud', 'bplist00');
  rmSync(at('memory/linked.md'));
  writeFileSync(`${at('')}/../elsewhere.md`, memory('else', 'linked'));
  symlinkSync('../../elsewhere.md', at('memory/linked.md'));
  await pause(700);
  edit('memory/a.md', memory('one'));
  renameSync(at('memory'), at('kept'));
  renameSync(at('kept'), at('memory'));
  edit('memory/b.md', memory('two', 'b'));
  await pause(2_700);
  expect((await log()).slice(4)).toEqual(['adopted replace memory/b.md']);
  expect(await rows()).toEqual([
    ['stub', 'memory/.evicted.md.icloud'],
    ['unreadable', 'memory/linked.md'],
  ]);
});

test('while git is at work nothing is adopted, and afterwards what it left there', async () => {
  const { at, edit, commit, log, watch } = await editedVault({ adopt: 'on-save' });
  await commit('memory/a.md', memory('one'));
  mkdirSync(at('.git'));
  await watch();
  writeFileSync(at('.git/index.lock'), '');
  edit('memory/a.md', memory('half way'));
  await pause(900);
  expect(await log()).toHaveLength(1);
  edit('memory/a.md', memory('there'));
  rmSync(at('.git/index.lock'));
  await eventually(async () => expect(await log()).toHaveLength(2));
});
