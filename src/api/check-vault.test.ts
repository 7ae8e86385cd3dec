import { expect, test } from 'vitest';
import { openMemoryVault, type VaultAdapters } from '#open-vault';

const rule = (body: string) =>
  `---\ntype: rule\nname: tone\ntitle: Tone\ndescription: How we write\ntimestamp: 2026-05-16T14:00:00Z\nslug: tone\n---\n${body}\n`;

const vaultOf = async (
  files: Readonly<Record<string, string | Uint8Array>>,
  wrap: (adapters: VaultAdapters) => VaultAdapters = given => given,
) => {
  let vfs: VaultAdapters['vfs'] | undefined;
  const vault = await openMemoryVault({
    wrapAdapters: given => {
      vfs = given.vfs;
      return wrap(given);
    },
  });
  for (const [path, content] of Object.entries(files)) {
    await vfs!.writeAtomic(path, typeof content === 'string' ? new TextEncoder().encode(content) : content, { ifAbsent: true });
  }
  return vault;
};

test('a sound vault is valid, and every file is accounted for once', async () => {
  const vault = await vaultOf({ 'tone.md': rule('a'), 'README.md': '# Hi\n', 'index.md': '- [[tone]]\n', 'logo.png': 'x' });
  const report = await vault.check();
  expect(report).toMatchObject({ valid: true, problems: [], log_damage: [], files: { found: 4, documents: 1, ordinary: 2 } });
  expect(report.files.reported).toMatchObject([{ path: 'logo.png', kind: 'not_markdown' }]);
});

test('every problem of every file is named with its place', async () => {
  const vault = await vaultOf({
    'rules/missing.md': rule('a').replace('name: tone\n', ''),
    'rules/broken.md': '---\ntype: rule\ntitle: a\ntitle: b\n---\n',
    'rules/unknown.md': rule('a').replace('type: rule', 'type: acme:thing'),
    'rules/marked.md': rule('<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other'),
    'rules/latin.md': Uint8Array.of(0x2d, 0xe9, 0x0a),
    'pages/index.md': rule('an index page has no frontmatter'),
  });
  const { valid, problems, files } = await vault.check();
  expect(valid).toBe(false);
  const at = (path: string) => problems.filter(problem => problem.path === path);
  expect(
    at('rules/missing.md')
      .map(problem => problem.field)
      .toSorted(),
  ).toEqual(expect.arrayContaining(['name']));
  expect(at('rules/broken.md')).toMatchObject([{ line: 4 }]);
  expect(at('rules/unknown.md')).toMatchObject([{ field: 'type', line: 2 }]);
  expect(at('rules/marked.md')).toMatchObject([{ line: 9, issue: expect.stringContaining('conflict markers') }]);
  expect(at('rules/latin.md')).toHaveLength(1);
  expect(at('pages/index.md').length).toBeGreaterThan(0);
  expect(files.found).toBe(6);
  expect(files.documents + files.ordinary + files.reported.length).toBe(6);
});

test('references are checked against what the vault holds', async () => {
  const asset = (target: string) =>
    `---\ntype: asset\ntitle: Logo\ndescription: d\ntimestamp: 2026-05-16T14:00:00Z\nname: logo\nslug: logo\nmime_type: image/png\nencoding: none\nstorage_uri: "s3://x/y"\nx_portability: resource_bound\nresource_ref: ${target}\n---\n`;
  const vault = await vaultOf({ 'tone.md': rule('a'), 'assets/a.md': asset('tone.md'), 'assets/b.md': asset('resources/gone.md') });
  const { problems } = await vault.check();
  expect(problems.filter(problem => problem.field === 'resource_ref').map(problem => problem.path)).toEqual(['assets/a.md', 'assets/b.md']);
});

test('what the standard recommends comes as warnings and leaves the vault valid', async () => {
  const vault = await vaultOf({ 'other-name.md': rule('See [it](/nowhere.md).') });
  const report = await vault.check();
  expect(report.valid).toBe(true);
  expect(report.warnings.some(warning => warning.path === 'other-name.md' && /nowhere/.test(warning.issue))).toBe(true);
});

test('files that differ only by letter case are warned about', async () => {
  const vault = await vaultOf({ 'Tone.md': rule('a') }, given => ({
    ...given,
    vfs: {
      ...given.vfs,
      read: path => given.vfs.read(path === 'tone.md' ? 'Tone.md' : path),
      async *list() {
        yield { path: 'Tone.md', kind: 'file' as const };
        yield { path: 'tone.md', kind: 'file' as const };
      },
    },
  }));
  expect((await vault.check()).warnings.filter(warning => /letter case/.test(warning.issue))).toMatchObject([{ path: 'tone.md' }]);
});

test('only chosen files and directories are checked, and a path that is not there is a problem', async () => {
  const bad = rule('a').replace('name: tone\n', '');
  const vault = await vaultOf({ 'rules/a.md': bad, 'pages/b.md': bad });
  expect(new Set((await vault.check(['rules'])).problems.map(problem => problem.path))).toEqual(new Set(['rules/a.md']));
  expect((await vault.check(['pages/b.md'])).files.found).toBe(1);
  expect((await vault.check(['nowhere.md'])).problems).toMatchObject([
    { path: 'nowhere.md', issue: expect.stringContaining('no such file') },
  ]);
});

test('damage of the log is told with file and offset, also when the log cannot be read at all', async () => {
  const damage = [{ file: '.ssss/events/00000001.jsonl', offset: 512, length: 12, reason: 'not JSON' }];
  const damaged = await vaultOf({}, given => ({ ...given, events: { ...given.events, damage: async () => damage } }));
  expect(await damaged.check()).toMatchObject({ valid: false, log_damage: damage });
  const broken = await vaultOf({}, given => ({
    ...given,
    events: {
      ...given.events,
      damage: async () => {
        throw new Error('EIO');
      },
    },
  }));
  expect(await broken.check()).toMatchObject({ valid: false, log_damage: [{ reason: expect.stringContaining('EIO') }] });
});

test('entries that are no readable files are warnings, never exceptions', async () => {
  const vault = await vaultOf({}, given => ({
    ...given,
    vfs: {
      ...given.vfs,
      read: async () => {
        throw new Error('EACCES');
      },
      async *list() {
        yield { path: 'a.md', kind: 'file' as const };
        yield { path: 'link.md', kind: 'symlink' as const, reason: 'a symbolic link' };
      },
    },
  }));
  expect(await vault.check()).toMatchObject({
    valid: true,
    warnings: [
      { path: 'a.md', issue: 'EACCES' },
      { path: 'link.md', issue: 'a symbolic link' },
    ],
    files: { found: 2, reported: { length: 2 } },
  });
});
