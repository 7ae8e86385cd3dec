import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseDocument } from '#document';
import { composeRegistry, parseExtension } from '#registry';
import { checkBundle } from '../check/check-bundle.ts';
import { exportBundle, type VaultFile } from './export-bundle.ts';
import type { ExportOptions } from './export-options.ts';
import { ExportRefusedError } from './export-report.ts';

const registry = composeRegistry({ extensions: [] });
const options: ExportOptions = {
  profile: 'sale',
  name: 'Shop',
  description: 'A shop.',
  version: '1.0.0',
  exporter: 'sheaf@test',
  sourceWorkspaceId: 'ws-seller',
};

const file = (path: string, text: string): VaultFile => ({ path, text, parsed: parseDocument(text) });
const document = (path: string, type: string, fields: string, body = 'Text.\n'): VaultFile =>
  file(path, `---\ntype: ${type}\ntitle: T\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\n${fields}---\n${body}`);
const rule = (path: string, body?: string, more = ''): VaultFile => document(path, 'rule', `name: R\n${more}`, body);
const task = (path: string): VaultFile => document(path, 'task', 'priority: 1\ncategory: c\nstatus: pending\n', 'The customer is Ana.\n');
const bucket = document(
  'resources/media.md',
  'resource',
  'name: Media\nkind: object_storage\nstatus: bound\nbinds:\n  bucket: s3-media-7\n  region: eu-1\n',
);

const linksOf = (files: readonly VaultFile[]) => ({
  exists: (path: string) => files.some(each => each.path === path),
  named: (name: string) => files.map(({ path }) => path).filter(path => path.endsWith(`/${name}.md`)),
});
const run = (files: readonly VaultFile[], change: Partial<ExportOptions> = {}) =>
  exportBundle(files, registry, linksOf(files), { ...options, ...change });
const refusal = (files: readonly VaultFile[], change: Partial<ExportOptions> = {}): ExportRefusedError => {
  try {
    run(files, change);
  } catch (error) {
    if (error instanceof ExportRefusedError) return error;
    throw error;
  }
  throw new Error('the export was not refused');
};

test('structural documents leave byte for byte, private ones and pages of links stay, and the bundle keeps every rule', () => {
  const files = [
    rule('rules/b.md'),
    task('tasks/t.md'),
    rule('rules/a.md'),
    file('tasks/index.md', '- [The customer is Ana](/tasks/t.md)\n'),
  ];
  const { bundle, report } = run(files);
  expect(bundle.files).toEqual([files[2], files[0]].map(each => ({ path: each!.path, content: each!.text })));
  expect(bundle.manifest).toMatchObject({ primitive_inventory: { rule: 2 }, file_count: 2, export_profile: 'sale' });
  expect(bundle.manifest).not.toHaveProperty('source_workspace_id');
  expect(JSON.stringify(bundle)).not.toContain('Ana');
  expect(report.staying.map(({ path }) => path)).toEqual(['tasks/index.md', 'tasks/t.md']);
  expect(checkBundle(JSON.parse(JSON.stringify(bundle)), registry)).toMatchObject({ valid: true });
});

test('a document that is bound to a resource says what it needs, and the rest of it keeps its bytes', () => {
  const { bundle, report } = run([bucket, rule('rules/a.md')]);
  const reduced = bundle.files.find(({ path }) => path === 'resources/media.md')?.content;
  expect(reduced).toContain('binds: REQUIREMENT\n');
  expect(reduced).toContain('x_portability: resource_bound\n');
  expect(reduced).toContain('kind: object_storage\n');
  expect(JSON.stringify(bundle)).not.toContain('s3-media-7');
  expect(report.leaving).toContainEqual({
    path: 'resources/media.md',
    type: 'ssss:resource',
    portability: 'resource_bound',
    how: 'reduced',
    stripped: ['binds'],
  });
  expect(bundle.manifest.parameters).toEqual([
    { key: 'resource_binds', label: 'Media: binds', type: 'string', scope: 'workspace', source: 'user', required: true },
  ]);
  expect(bundle.manifest.provisioning).toMatchObject([{ id: 'bind-resource', mode: 'provision', system: 'accounts', required: true }]);
  expect(checkBundle(JSON.parse(JSON.stringify(bundle)), registry)).toMatchObject({ valid: true });
});

test('a pointer keeps its hash and its placeholders, and asks for its place', () => {
  const pointer = document(
    'assets/film.md',
    'asset',
    `name: film\nmime_type: video/mp4\nencoding: none\nstorage_uri: "s3://b/k"\nhash: "sha256:${'a'.repeat(64)}"\nsize_bytes: 7\nx_portability: resource_bound\nx_note: "{{CITY}}"\n`,
  );
  const { bundle } = run([pointer]);
  expect(bundle.files[0]?.content).toContain('storage_uri: REQUIREMENT\n');
  for (const kept of [`hash: "sha256:${'a'.repeat(64)}"`, 'size_bytes: 7', 'x_note: "{{CITY}}"'])
    expect(bundle.files[0]?.content).toContain(kept);
  expect(bundle.manifest.parameters?.map(({ key }) => key)).toEqual(['asset_storage_uri']);
});

test('two documents of one type carry their slugs in what they ask for', () => {
  const other = document('resources/line.md', 'resource', 'name: Line\nslug: line\nkind: phone\nstatus: bound\nbinds: none\n');
  const { bundle } = run([bucket, other]);
  expect(bundle.manifest.parameters?.map(({ key }) => key)).toEqual(['resource_binds_line', 'resource_binds_resources_media']);
  expect(bundle.manifest.provisioning.map(({ system }) => system)).toEqual(['phone', 'accounts']);
});

test('nobody can strip a document that does not say which fields are bound, so it is refused', () => {
  expect(refusal([rule('rules/a.md', 'x\n', 'x_portability: resource_bound\n')]).problems).toEqual([
    { path: 'rules/a.md', issue: expect.stringContaining('resource.binds') as string },
  ]);
});

test('an override that is none of the classes is ignored and reported; one that is makes a document stay', () => {
  const { report, bundle } = run([
    rule('rules/a.md', 'x\n', 'x_portability: Secret\n'),
    rule('rules/b.md', 'x\n', 'x_portability: tenant_private\n'),
  ]);
  expect(bundle.files.map(({ path }) => path)).toEqual(['rules/a.md']);
  expect(report.findings).toMatchObject([{ kind: 'ignored_override', path: 'rules/a.md' }]);
});

test.each([
  ['a secret', `key: sk-${'a1b2c3d4e5'.repeat(3)}`, 'secret'],
  ['an address', 'Write to ines@velo-taller.es.', 'personal'],
  ['the value of a bound resource', 'Everything is in s3-media-7.', 'bound_value'],
  ['a link to what stays', 'See [the task](/tasks/t.md).', 'lost_link'],
])('%s in a structural document stops the export until a person acknowledged it', (_, text, kind) => {
  const files = [rule('rules/a.md', `One.\n${text}\n`), task('tasks/t.md'), bucket];
  const { report, problems } = refusal(files);
  expect(report.findings).toMatchObject([{ kind, path: 'rules/a.md', line: 9, acknowledged: false }]);
  expect(problems).toHaveLength(1);
  expect(JSON.stringify([problems, report.findings])).not.toMatch(/sk-a1b2|ines@velo|s3-media-7/);
  const acknowledged = report.findings.map(({ finding }) => finding);
  expect(run(files, { acknowledged }).report.findings).toMatchObject([{ kind, acknowledged: true }]);
});

test('a backup holds every class as it is, says where it comes from, and asks nobody', () => {
  const files = [bucket, file('index.md', '- x\n'), rule('rules/a.md', 'ines@velo-taller.es\n'), task('tasks/t.md')];
  const { bundle, report } = run(files, { profile: 'backup' });
  expect(bundle.files).toEqual(files.map(({ path, text }) => ({ path, content: text })).sort((a, b) => (a.path < b.path ? -1 : 1)));
  expect(bundle.manifest).toMatchObject({
    source_workspace_id: 'ws-seller',
    primitive_inventory: { resource: 1, rule: 1, task: 1 },
    file_count: 4,
  });
  expect(report.findings).toEqual([]);
});

test('an invalid document, or one of no known type, refuses the export and names every problem; plain Markdown stays', () => {
  const files = [document('rules/a.md', 'rule', ''), document('rules/b.md', 'nope', ''), file('README.md', '# Hello\n')];
  const { problems, report } = refusal(files);
  expect(problems.map(({ path }) => path)).toEqual(['rules/a.md', 'rules/b.md']);
  expect(report.staying).toMatchObject([{ path: 'README.md' }]);
});

test('the same vault gives the same bytes, in whatever order it is read', () => {
  const files = [bucket, rule('rules/b.md'), task('tasks/t.md'), rule('rules/a.md')];
  expect(JSON.stringify(run(files.toReversed()).bundle)).toBe(JSON.stringify(run(files).bundle));
});

test('the sample vault can be sold once a person looked at what was found, and no customer leaves with it', () => {
  const root = 'examples/sample-vault';
  const extensions = readdirSync(join(root, 'extensions')).map(name =>
    parseExtension(readFileSync(join(root, 'extensions', name), 'utf8'), name),
  );
  const composed = composeRegistry({ extensions });
  const files = (readdirSync(join(root, 'vault'), { recursive: true }) as string[])
    .filter(path => path.endsWith('.md'))
    .map(path => file(path.replaceAll('\\', '/'), readFileSync(join(root, 'vault', path), 'utf8')));
  const ask = (acknowledged: readonly string[]) => exportBundle(files, composed, linksOf(files), { ...options, acknowledged });
  let acknowledged: readonly string[] = [];
  try {
    ask([]);
  } catch (error) {
    if (!(error instanceof ExportRefusedError)) throw error;
    acknowledged = error.report.findings.map(({ finding }) => finding);
    expect(error.problems.map(({ issue }) => issue).filter(issue => !issue.includes('acknowledge as'))).toEqual([]);
  }
  const { bundle, report } = ask(acknowledged);
  expect(checkBundle(JSON.parse(JSON.stringify(bundle)), composed).faults).toEqual([]);
  expect(report.leaving.length).toBeGreaterThan(20);
  expect(bundle.files.filter(({ path }) => /^(?:threads|tasks|runs|bookings)\//.test(path))).toEqual([]);
});
