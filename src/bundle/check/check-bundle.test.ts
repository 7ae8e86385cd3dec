import { expect, test } from 'vitest';
import { composeRegistry } from '#registry';
import type { BundleFile } from '../bundle.ts';
import { bundleContentHash } from '../content-hash.ts';
import { checkBundle } from './check-bundle.ts';

const registry = composeRegistry({ extensions: [] });

const rule = (name: string): string =>
  `---\ntype: rule\nname: ${name}\ntitle: ${name}\ndescription: d\ntimestamp: 2026-05-16T14:00:00Z\n---\nBe kind.\n`;
const task = rule('t').replace('type: rule', 'type: task\npriority: 1\ncategory: c\nstatus: pending');

type Change = (bundle: ReturnType<typeof make>) => void;

const make = (files: BundleFile[]) => ({
  manifest: {
    name: 'Shop',
    description: 'A shop.',
    version: '1.0.0',
    exported_at: '2026-05-16T14:00:00Z',
    ssss_core_version: '0.9',
    required_extensions: [] as string[],
    export_profile: 'sale',
    primitive_inventory: { rule: files.length } as Record<string, number>,
    provisioning: [] as unknown[],
    parameters: [] as unknown[],
    file_count: files.length,
    provenance: { content_hash: bundleContentHash(files), exporter: 'sheaf@0.1.0' },
  } as Record<string, unknown> & { provenance: Record<string, unknown> },
  files,
});

const two = (): BundleFile[] => [
  { path: 'rules/a.md', content: rule('a') },
  { path: 'rules/b.md', content: rule('b') },
];

const faultsOf = (change: Change, files = two()) => {
  const bundle = make(files);
  change(bundle);
  return checkBundle(bundle, registry).faults.map(({ rule: broken, place }) => `${broken} ${place}`);
};

test('the hash is the one that the standard defines', () => {
  const files = [
    { path: 'rules/b.md', content: 'x' },
    { path: 'rules/a.md', content: 'é\n' },
  ];
  expect(bundleContentHash(files)).toBe('sha256:a09d7656aa16812b63b570decb71774fce4457ee8726d46c9a38bb3f28f7cdc1');
});

test('a bundle that keeps every rule is valid, and what stands beside the content counts for nothing', () => {
  const bundle = make(two());
  const lying = { ...bundle, files: bundle.files.map(file => ({ ...file, frontmatter: { type: 'task' } })) };
  expect(checkBundle(lying, registry)).toMatchObject({ valid: true, bundle: { files: two() } });
});

test.each([
  'name',
  'description',
  'version',
  'exported_at',
  'ssss_core_version',
  'required_extensions',
  'export_profile',
  'primitive_inventory',
  'provisioning',
  'file_count',
  'provenance',
])('a manifest without %s is refused at that member', name => {
  expect(faultsOf(bundle => delete bundle.manifest[name])).toContain(`manifest manifest.${name}`);
});

test.each<[string, Change, string]>([
  [
    'a version of the standard that this host does not read',
    b => (b.manifest.ssss_core_version = '0.8'),
    'version manifest.ssss_core_version',
  ],
  ['an extension that is not loaded', b => (b.manifest.required_extensions = ['nope']), 'extension manifest.required_extensions[0]'],
  ['a version that is none', b => (b.manifest.version = 'one'), 'manifest manifest.version'],
  ['a profile that is none', b => (b.manifest.export_profile = 'gift'), 'manifest manifest.export_profile'],
  ['a time that is none', b => (b.manifest.exported_at = 'yesterday'), 'manifest manifest.exported_at'],
  ['a count that is off', b => (b.manifest.file_count = 3), 'count manifest.file_count'],
  ['an inventory that is off by one', b => (b.manifest.primitive_inventory = { rule: 1 }), 'inventory manifest.primitive_inventory.rule'],
  [
    'an inventory with a type that is not there',
    b => (b.manifest.primitive_inventory = { rule: 2, skill: 1 }),
    'inventory manifest.primitive_inventory.skill',
  ],
  ['an empty hash', b => (b.manifest.provenance.content_hash = ''), 'manifest manifest.provenance.content_hash'],
  [
    'a tampered byte',
    b => (b.files[0] = { path: 'rules/a.md', content: rule('a').replace('kind', 'kinD') }),
    'integrity manifest.provenance.content_hash',
  ],
  ['files out of order', b => b.files.reverse(), 'order files[1]'],
  ['an origin in a sale', b => (b.manifest.source_workspace_id = 'ws-seller'), 'manifest manifest.source_workspace_id'],
  [
    'two integrity hashes that differ',
    b =>
      (b.manifest.dependencies = {
        primitives: [],
        extensions: [],
        migrations: [],
        integrity: { content_hash: `sha256:${'0'.repeat(64)}`, ssss_core_version: '0.9' },
      }),
    'integrity manifest.dependencies.integrity.content_hash',
  ],
  [
    'a step with a verb that is none',
    b => (b.manifest.provisioning = [{ id: 's', label: 'S', system: 'email', mode: 'buy', required: true }]),
    'manifest manifest.provisioning[0].mode',
  ],
  [
    'a parameter from nobody',
    b => (b.manifest.parameters = [{ key: 'k', label: 'K', type: 'string', scope: 'workspace', source: 'oracle' }]),
    'manifest manifest.parameters[0].source',
  ],
  [
    'a parameter that stands twice',
    b => (b.manifest.parameters = [1, 2].map(() => ({ key: 'k', label: 'K', type: 'string', scope: 'workspace', source: 'user' }))),
    'manifest manifest.parameters[1].key',
  ],
  [
    'parameters that wait for each other',
    b =>
      (b.manifest.parameters = [
        ['a', 'b'],
        ['b', 'a'],
      ].map(([key, need]) => ({ key, label: 'K', type: 'string', scope: 'workspace', source: 'user', dependsOn: [need] }))),
    'manifest manifest.parameters[0].dependsOn',
  ],
])('%s is refused', (_, change, fault) => {
  expect(faultsOf(change)).toContain(fault);
});

test.each([
  ['../x.md'],
  ['/etc/x.md'],
  ['a\\..\\b.md'],
  ['C:x.md'],
  ['a/./b.md'],
  ['a//b.md'],
  ['a\0b.md'],
  ['.ssss-intents/x.md'],
  ['.git/hooks/post-commit'],
  ['.ssss/workspace.json'],
  ['rules/con.md'],
  ['rules/a.txt'],
])('the path %j is refused', path => {
  expect(faultsOf(() => undefined, [{ path, content: rule('a') }])).toContain('path files[0].path');
});

test.each([
  ['two names that differ by case', 'rules/Team.md', 'rules/team.md'],
  ['two names that differ by Unicode form', 'rules/caf\u00e9.md', 'rules/cafe\u0301.md'],
  ['two directories that differ by case', 'Rules/a.md', 'rules/b.md'],
  ['a file where a directory has to be', 'rules/a.md', 'rules/a.md/b.md'],
  ['one path twice', 'rules/a.md', 'rules/a.md'],
])('%s collide', (_, one, other) => {
  const files = [one, other].toSorted().map(path => ({ path, content: rule('a') }));
  expect(faultsOf(() => undefined, files)).toContain('collision files[1].path');
});

test('a private document in a sale is refused by its path alone, and allowed in a backup', () => {
  const files = [{ path: 'tasks/t.md', content: task }];
  const count: Change = bundle => (bundle.manifest.primitive_inventory = { task: 1 });
  expect(faultsOf(count, files)).toEqual(['class tasks/t.md']);
  expect(
    faultsOf(bundle => {
      count(bundle);
      bundle.manifest.export_profile = 'backup';
    }, files),
  ).toEqual([]);
});

test('a document makes itself more private, never less', () => {
  const hidden = [{ path: 'rules/a.md', content: rule('a').replace('name: a', 'name: a\nx_portability: tenant_private') }];
  expect(faultsOf(() => undefined, hidden)).toEqual(['class rules/a.md']);
  const open = [{ path: 'tasks/t.md', content: task.replace('category: c', 'category: c\nx_portability: structural') }];
  expect(faultsOf(bundle => (bundle.manifest.primitive_inventory = { task: 1 }), open)).toEqual(['class tasks/t.md']);
});

test('an invalid document is refused with its field and line', () => {
  const bundle = make([{ path: 'rules/a.md', content: rule('a').replace('name: a\n', '') }]);
  expect(checkBundle(bundle, registry).faults).toEqual([
    { rule: 'document', place: 'rules/a.md', issue: expect.stringContaining('name') as string, line: expect.any(Number) as number },
  ]);
});

test.each([null, 7, 'x', [], {}, { files: [] }, { manifest: {}, files: {} }, { manifest: {}, files: [{ path: 1 }] }])(
  '%j is no bundle, and is said to be none',
  input => {
    expect(checkBundle(input, registry)).toMatchObject({ valid: false });
    expect(checkBundle(input, registry).faults.length).toBeGreaterThan(0);
  },
);
