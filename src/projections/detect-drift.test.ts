import { expect, test } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { createMemoryStore } from '#stores/memory';
import { detectDrift, surveyDrift, surveyPaths } from './detect-drift.ts';
import { fileNameKind } from './file-name-kind.ts';

const workspaceId = 'ws-acme';
const rule = (body: string) => `---\ntype: rule\ntitle: t\n---\n${body}\n`;

/** A vault whose documents came through the contract; `edit` is a hand edit behind its back. */
const vaultOf = async (documents: Readonly<Record<string, string>>) => {
  const { vfs, events } = createMemoryStore();
  const edit = async (path: string, text: string | Uint8Array | null) => {
    const stored = await vfs.read(path);
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    if (bytes !== null) await vfs.writeAtomic(path, bytes, stored === null ? { ifAbsent: true } : { version: stored.version });
    else if (stored !== null) await vfs.remove(path, { version: stored.version });
  };
  const record = async (path: string, hash: string | null) =>
    events.append(sampleEvent({ subject: path, action: hash === null ? 'delete' : 'create', after_hash: hash }));
  for (const [path, text] of Object.entries(documents)) {
    await edit(path, text);
    await record(path, hashContent(text));
  }
  const source = { vfs, events, workspaceId };
  const kinds = async () => (await surveyDrift(source)).rows.map(row => [row.kind, row.path, row.change]);
  return { ...source, edit, record, kinds, source };
};

test('a vault that nobody touched has no rows, and every file is accounted for', async () => {
  const vault = await vaultOf({ 'rules/a.md': rule('a'), 'index.md': '- [[a]]\n' });
  await vault.edit('README.md', '# Hello\n');
  const { rows, files } = await surveyDrift(vault.source);
  expect(rows).toEqual([]);
  expect(files).toEqual({ found: 3, documents: 1, ordinary: 2, reported: [] });
});

test('changed, deleted and re-created documents are drifted and say what an adoption would record', async () => {
  const vault = await vaultOf({ 'a.md': rule('a'), 'b.md': rule('b'), 'c.md': rule('c') });
  await vault.edit('a.md', rule('edited'));
  await vault.edit('b.md', null);
  await vault.record('c.md', null);
  expect(await vault.kinds()).toEqual([
    ['drift', 'a.md', 'replace'],
    ['drift', 'b.md', 'delete'],
    ['drift', 'c.md', 'create'],
  ]);
  const { rows } = await surveyDrift(vault.source);
  expect(rows[0]).toMatchObject({ recorded_hash: hashContent(rule('a')), stored_hash: hashContent(rule('edited')) });
  expect(rows[1]).toMatchObject({ stored_hash: null });
  for (const row of rows) expect(row.reason).toMatch(/sheaf adopt/);
});

test('a document that cannot be read is not taken for a deleted one', async () => {
  const vault = await vaultOf({ 'closed/a.md': rule('a'), 'b.md': rule('b') });
  await vault.edit('b.md', null);
  const vfs = {
    ...vault.vfs,
    async *list() {
      yield { path: 'closed', kind: 'unreadable' as const, reason: 'permission denied' };
    },
    read: async (path: string) => {
      if (path.startsWith('closed/')) throw new Error('permission denied');
      return vault.vfs.read(path);
    },
  };
  const { rows } = await surveyDrift({ ...vault.source, vfs });
  expect(rows.map(row => [row.kind, row.path, row.change])).toEqual([
    ['drift', 'b.md', 'delete'],
    ['unreadable', 'closed', null],
    ['unreadable', 'closed/a.md', null],
  ]);
  expect(rows[2]?.reason).toMatch(/permission denied/);
});

test('a document that is deleted while the vault is read counts as deleted, not as unreadable', async () => {
  const vault = await vaultOf({ 'a.md': rule('a'), 'b.md': rule('b') });
  await vault.edit('a.md', rule('edited'));
  await vault.edit('b.md', rule('edited'));
  const reads = new Map<string, number>();
  const vfs = {
    ...vault.vfs,
    read: async (path: string) => {
      reads.set(path, (reads.get(path) ?? 0) + 1);
      return reads.get(path) === 1 ? vault.vfs.read(path) : null;
    },
  };
  await vault.record('b.md', null);
  const { rows } = await surveyDrift({ ...vault.source, vfs });
  expect(rows.map(row => [row.kind, row.path, row.change])).toEqual([['drift', 'a.md', 'delete']]);
});

test('a file whose name is not UTF-8 is told from one that vanished', async () => {
  const vault = await vaultOf({});
  const vfs = {
    ...vault.vfs,
    async *list() {
      yield { path: 'bad\uFFFD.md', kind: 'file' as const };
    },
  };
  expect((await surveyDrift({ ...vault.source, vfs })).rows).toMatchObject([
    { kind: 'unreadable', reason: expect.stringContaining('UTF-8') },
  ]);
});

test('a document the log does not know is untracked; ordinary Markdown is not', async () => {
  const vault = await vaultOf({});
  await vault.edit('new.md', rule('n'));
  await vault.edit('pages/index.md', '- [[new]]\n');
  await vault.edit('README.md', 'hello\n');
  await vault.edit('broken.md', '---\ntype: rule\ntype: rule\n---\n');
  expect(await vault.kinds()).toEqual([
    ['untracked', 'broken.md', 'create'],
    ['untracked', 'new.md', 'create'],
    ['untracked', 'pages/index.md', 'create'],
  ]);
  expect((await surveyDrift(vault.source)).rows[0]?.reason).toMatch(/not readable as a document.*line 3/);
});

test('a deleted document that comes back with the same bytes is no drift', async () => {
  const vault = await vaultOf({ 'memory/a.md': rule('a') });
  await vault.edit('memory/a.md', null);
  expect(await vault.kinds()).toEqual([['drift', 'memory/a.md', 'delete']]);
  await vault.edit('memory/a.md', rule('a'));
  expect(await vault.kinds()).toEqual([]);
});

test('git conflict markers are reported with their line and cannot be adopted; in a code block they are text', async () => {
  const vault = await vaultOf({ 'memory/a.md': rule('a') });
  await vault.edit('memory/a.md', '---\ntype: memory\n<<<<<<< HEAD\nstatus: active\n=======\nstatus: archived\n>>>>>>> other\n---\n');
  await vault.edit('memory/b.md', rule('```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n```'));
  expect(await vault.kinds()).toEqual([
    ['conflict_marker', 'memory/a.md', null],
    ['untracked', 'memory/b.md', 'create'],
  ]);
  const { rows, files } = await surveyDrift(vault.source);
  expect(rows[0]?.reason).toContain('conflict markers at line 3');
  expect(files.reported).toMatchObject([{ path: 'memory/a.md', kind: 'conflict_marker', line: 3 }]);
});

test('copies of sync tools are listed with both paths, and a document of such a name is left alone', async () => {
  const vault = await vaultOf({ 'memory/a.md': rule('a'), 'memory/team (conflict rules).md': rule('t'), 'memory/team.md': rule('t') });
  await vault.edit('memory/a.sync-conflict-20260101-120000-ABCDEFG.md', rule('x'));
  await vault.edit('memory/a (conflicted copy 2026-01-01).md', rule('y'));
  await vault.edit('memory/a (Case Conflict).md', rule('z'));
  await vault.edit('memory/b (solving a conflict).md', rule('own note'));
  const { rows, files } = await surveyDrift(vault.source);
  expect(rows.map(row => [row.kind, row.path, row.original])).toEqual([
    ['conflict_copy', 'memory/a (Case Conflict).md', 'memory/a.md'],
    ['conflict_copy', 'memory/a (conflicted copy 2026-01-01).md', 'memory/a.md'],
    ['conflict_copy', 'memory/a.sync-conflict-20260101-120000-ABCDEFG.md', 'memory/a.md'],
    ['untracked', 'memory/b (solving a conflict).md', undefined],
  ]);
  expect(files.found).toBe(7);
});

test('a deleted document is reported as such, also when a copy of it is left', async () => {
  const vault = await vaultOf({ 'memory/a.md': rule('a') });
  await vault.edit('memory/a.md', null);
  await vault.edit('memory/a.sync-conflict-20260101-120000-ABCDEFG.md', rule('x'));
  expect(await vault.kinds()).toEqual([
    ['drift', 'memory/a.md', 'delete'],
    ['conflict_copy', 'memory/a.sync-conflict-20260101-120000-ABCDEFG.md', null],
  ]);
});

test('the sides that a merge tool lays beside a document are temporary, unless one was written as a document', async () => {
  const vault = await vaultOf({ 'memory/a.md': rule('a'), 'memory/a_BASE_7.md': rule('own') });
  await vault.edit('memory/a_LOCAL_4711.md', rule('mine'));
  await vault.edit('memory/b_LOCAL_4711.md', rule('lone'));
  expect(await vault.kinds()).toEqual([['untracked', 'memory/b_LOCAL_4711.md', 'create']]);
});

test('named paths are surveyed alone, with the same rows', async () => {
  const vault = await vaultOf({ 'a.md': rule('a'), 'b.md': rule('b'), 'c.md': rule('c'), 'd.md': rule('d'), 'e.md': rule('e') });
  await vault.edit('a.md', rule('edited'));
  await vault.edit('b.md', null);
  await vault.edit('c.md', null);
  await vault.edit('.c.md.icloud', 'bplist00');
  await vault.edit('d.md', '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n');
  await vault.edit('new.md', rule('new'));
  await vault.edit('new.md~', rule('new'));
  await vault.edit('a (conflicted copy 2026-01-01).md', rule('copy'));
  const listed: string[] = [];
  for await (const { path } of vault.vfs.list()) listed.push(path);
  const all = await surveyDrift(vault.source);
  const named = await surveyPaths(vault.source, [...listed, 'b.md', 'c.md', 'never.md', '.ssss/x.md', '../x.md']);
  expect([...named].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual(all.rows);
  expect(all.rows).toHaveLength(6);
});

test('a document that a cloud drive evicted is a stub, never a deletion', async () => {
  const vault = await vaultOf({ 'memory/a.md': rule('a') });
  await vault.edit('memory/a.md', null);
  await vault.edit('memory/.a.md.icloud', 'bplist00');
  expect(await vault.kinds()).toEqual([['stub', 'memory/.a.md.icloud', null]]);
});

test('temporary and other files make no rows but are counted with their reason', async () => {
  const vault = await vaultOf({ 'memory/a.md': rule('a') });
  for (const path of ['memory/.a.md.tmp', 'memory/a.md~', 'memory/.a.md.swp', 'logo.png']) await vault.edit(path, 'x');
  const { rows, files } = await surveyDrift(vault.source);
  expect(rows).toEqual([]);
  expect(files.reported.map(file => [file.path, file.kind])).toEqual([
    ['logo.png', 'not_markdown'],
    ['memory/.a.md.swp', 'temporary'],
    ['memory/.a.md.tmp', 'temporary'],
    ['memory/a.md~', 'temporary'],
  ]);
  expect(files.found).toBe(files.documents + files.ordinary + files.reported.length);
});

test('a document that is not UTF-8 any more is drifted and reported as invalid', async () => {
  const vault = await vaultOf({ 'a.md': rule('a') });
  await vault.edit('a.md', Uint8Array.of(0x2d, 0xff, 0xfe));
  const { rows, files } = await surveyDrift(vault.source);
  expect(rows).toMatchObject([{ kind: 'drift', path: 'a.md', change: 'replace' }]);
  expect(files.reported).toMatchObject([{ path: 'a.md', kind: 'invalid' }]);
});

test('an entry that cannot be read becomes a row, whatever it is', async () => {
  const vault = await vaultOf({ 'a.md': rule('a'), 'b.md': rule('b') });
  const vfs = {
    ...vault.vfs,
    read: async (path: string) => {
      if (path === 'a.md') throw new Error('EIO: i/o error');
      return vault.vfs.read(path);
    },
    async *list() {
      yield { path: 'a.md', kind: 'file' as const };
      yield { path: 'b.md', kind: 'symlink' as const, reason: 'a symbolic link' };
    },
  };
  const { rows } = await surveyDrift({ ...vault.source, vfs });
  expect(rows.map(row => [row.kind, row.path, row.reason])).toEqual([
    ['unreadable', 'a.md', 'EIO: i/o error'],
    ['unreadable', 'b.md', 'a symbolic link'],
  ]);
});

test('a commit that was between its document and its event is not taken for drift', async () => {
  const vault = await vaultOf({ 'a.md': rule('a') });
  await vault.edit('a.md', rule('next'));
  const survey = surveyDrift(vault.source);
  await new Promise(resolve => setTimeout(resolve, 10));
  await vault.record('a.md', hashContent(rule('next')));
  expect((await survey).rows).toEqual([]);
});

test('rows come one by one as well', async () => {
  const vault = await vaultOf({ 'a.md': rule('a') });
  await vault.edit('a.md', rule('b'));
  const paths: string[] = [];
  for await (const row of detectDrift(vault.source)) paths.push(row.path);
  expect(paths).toEqual(['a.md']);
});

test.each([
  ['memory/a.md', { kind: 'markdown' }],
  ['memory/a.tmp.md', { kind: 'markdown' }],
  ['memory/(draft).md', { kind: 'markdown' }],
  ['a.MD', { kind: 'not_markdown' }],
  ['~$a.docx', { kind: 'temporary' }],
  ['.#a.md', { kind: 'temporary' }],
  ['x/#a.md#', { kind: 'temporary' }],
  ['a.md.tmp.4711', { kind: 'temporary' }],
  ["x/a (Ann's conflicted copy 2026-01-01).md", { kind: 'conflict_copy', original: 'x/a.md', certain: true }],
  ['x/.a.md.icloud', { kind: 'stub', original: 'x/a.md' }],
  ['x/a.md.nextcloud', { kind: 'stub', original: 'x/a.md' }],
  ['x/a.md.cloud', { kind: 'stub', original: 'x/a.md' }],
  ['x/a_conflict-20260101-120000.md', { kind: 'conflict_copy', original: 'x/a.md', certain: true }],
  ['x/a_laptop_Jan-02-120000-2026_Conflict.md', { kind: 'conflict_copy', original: 'x/a.md', certain: true }],
  ['x/a (SFConflict ann@example.org 2026-01-01-12-00-00).md', { kind: 'conflict_copy', original: 'x/a.md', certain: false }],
  ['x/a (Conflicted copy phone 202601011200).md', { kind: 'conflict_copy', original: 'x/a.md', certain: true }],
  ['x/a_REMOTE_17.md', { kind: 'merge_side', original: 'x/a.md' }],
  ['x/a.md___jb_tmp___', { kind: 'temporary' }],
  ['x/.goutputstream-A1B2C3', { kind: 'temporary' }],
  ['x/.syncthing.a.md.tmp', { kind: 'temporary' }],
  ['x/._a.md', { kind: 'temporary' }],
  ['x/a.md.orig', { kind: 'temporary' }],
  ['x/.a.md.swx', { kind: 'temporary' }],
])('the name %s is classified', (path, kind) => {
  expect(fileNameKind(path)).toEqual(kind);
});
