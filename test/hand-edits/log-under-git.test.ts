import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type EditedVault, editedVault, eventually, memory } from './edited-vault.ts';

const logFile = ({ at }: EditedVault): string => at('.ssss/events/00000001.jsonl');
const lines = (edited: EditedVault): readonly string[] => readFileSync(logFile(edited), 'utf8').trimEnd().split('\n');
const noticed = async ({ vault }: EditedVault) => (await vault.status()).notices.map(({ kind, message }) => [kind, message] as const);

const git = ({ root }: EditedVault, ...args: readonly string[]): void => {
  const settings = [
    'user.name=T',
    'user.email=t@example.org',
    'commit.gpgsign=false',
    'init.defaultBranch=main',
    'advice.detachedHead=false',
  ];
  execFileSync('git', [...settings.flatMap(setting => ['-c', setting]), ...args], { cwd: root, stdio: 'pipe' });
};
const commitAll = (edited: EditedVault, message: string): void => {
  writeFileSync(edited.at('.gitattributes'), '.ssss/events/*.jsonl merge=union\n');
  git(edited, 'add', '-A');
  git(edited, 'commit', '-qm', message);
};

test('a document whose line in the log is damaged is not offered for adoption without a word about the damage', async () => {
  const edited = await editedVault();
  await edited.commit('memory/a.md', memory('one'));
  await edited.commit('memory/b.md', memory('two', 'b'));
  await edited.vault.close();
  const [first, second] = lines(edited);
  writeFileSync(logFile(edited), `${first?.slice(0, -1)}!\n${second}\n`);
  rmSync(edited.at('.ssss/derived'), { recursive: true });
  const vault = await edited.again();
  const { rows, notices } = await vault.status();
  expect(rows).toMatchObject([{ kind: 'untracked', path: 'memory/a.md' }]);
  expect(rows[0]?.reason).toMatch(/log.*damaged.*`sheaf doctor`/);
  expect(rows[0]?.reason).not.toMatch(/`sheaf adopt` records it/);
  expect(notices).toContainEqual(expect.objectContaining({ kind: 'log_damage', file: '.ssss/events/00000001.jsonl', offset: 0 }));
  expect((await vault.check()).valid).toBe(false);
});

test('with a damaged log nothing that looks new is adopted on save', async () => {
  const edited = await editedVault({ adopt: 'on-save' });
  await edited.commit('memory/a.md', memory('one'));
  appendFileSync(logFile(edited), '{"event_id": broken}\n');
  const { watch } = await edited.watch();
  edited.edit('memory/new.md', memory('new', 'new'));
  edited.edit('memory/a.md', memory('two'));
  await eventually(async () => expect(await edited.log()).toEqual(['create memory/a.md', 'adopted replace memory/a.md']));
  await watch.close();
  expect(await edited.rows()).toEqual([['untracked', 'memory/new.md']]);
});

test('a checkout that takes log and files back together leaves no drift, and says which events are not there', async () => {
  const edited = await editedVault({ adopt: 'on-save' });
  git(edited, 'init', '-q');
  await edited.commit('memory/a.md', memory('one'));
  commitAll(edited, 'one');
  await edited.commit('memory/a.md', memory('two'));
  await edited.commit('memory/b.md', memory('new', 'b'));
  commitAll(edited, 'two');
  const ids = lines(edited).map(line => (JSON.parse(line) as { event_id: string }).event_id);
  const { changed } = await edited.watch();
  git(edited, 'checkout', '-q', 'HEAD~1');
  await eventually(() => expect(changed).toEqual(expect.arrayContaining(['memory/a.md', 'memory/b.md'])));
  await eventually(async () => expect(await noticed(edited)).toContainEqual(['events_missing', expect.stringContaining(ids[2]!)]));
  expect(await edited.rows()).toEqual([]);
  expect(await edited.log()).toEqual(['create memory/a.md']);
  expect((await edited.vault.read('memory/a.md'))?.text).toContain('one');
  // Later commands say so, too.
  const later = await edited.again();
  expect((await later.status()).notices.map(({ kind }) => kind)).toContain('events_missing');
  git(edited, 'checkout', '-q', 'main');
  await eventually(async () => expect((await noticed(edited)).filter(([kind]) => kind === 'events_missing' && false)).toEqual([]));
  expect(await edited.rows()).toEqual([]);
  expect(await edited.log()).toHaveLength(3);
});

test('two branches whose logs are merged line by line keep every event, and a conflict in a document stays a conflict', async () => {
  const edited = await editedVault();
  git(edited, 'init', '-q');
  await edited.commit('memory/a.md', memory('base'));
  commitAll(edited, 'base');
  git(edited, 'checkout', '-qb', 'other');
  await edited.commit('memory/a.md', memory('theirs'));
  await edited.commit('memory/b.md', memory('theirs', 'b'));
  commitAll(edited, 'theirs');
  git(edited, 'checkout', '-q', 'main');
  await edited.commit('memory/a.md', memory('ours'));
  await edited.commit('memory/c.md', memory('ours', 'c'));
  commitAll(edited, 'ours');
  expect(() => git(edited, 'merge', '-q', 'other')).toThrow();
  expect((await edited.log()).slice().sort()).toEqual([
    'create memory/a.md',
    'create memory/b.md',
    'create memory/c.md',
    'replace memory/a.md',
    'replace memory/a.md',
  ]);
  expect(await edited.rows()).toEqual([['conflict_marker', 'memory/a.md']]);
  expect((await edited.vault.check()).log_damage).toEqual([]);
  // Resolved by hand, and accepted.
  edited.edit('memory/a.md', memory('merged'));
  const { vault } = edited;
  expect(await vault.adopt(['memory/a.md'], vault.localPrincipal())).toMatchObject([{ outcome: 'adopted' }]);
  expect(await edited.rows()).toEqual([]);
});
