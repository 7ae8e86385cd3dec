import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findVault } from './find-vault.ts';
import { initWorkspace } from './init-workspace.ts';
import { loadWorkspace } from './load-workspace.ts';
import { createWorkspaceRegistryFiles } from './registry-files.ts';
import { workspaceFindings } from './workspace-findings.ts';

const now = new Date('2026-05-16T14:00:00Z');
const scratch = () => mkdtempSync(join(tmpdir(), 'sheaf-workspace-'));
const newVault = () => initWorkspace({ root: join(scratch(), 'My Vault'), now }).root;
const put = (root: string, file: string, value: unknown) => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), typeof value === 'string' ? value : JSON.stringify(value));
};
const listed = (root: string, ...extensions: string[]) =>
  put(root, '.ssss/workspace.json', { workspace_id: 'ws', spec_version: '0.9', created_at: now.toISOString(), extensions });
const acme = (version = '1.0.0', extra = {}) => ({
  registry: 'acme',
  version,
  primitives: { booking: { portability: 'tenant_private', ...extra } },
});
const treeOf = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .map(file => [file.slice(root.length), readFileSync(file, 'utf8')]),
  );

test('init writes the layout, names the workspace for the directory, and tells git what to leave out', () => {
  const root = newVault();
  expect(JSON.parse(readFileSync(join(root, '.ssss/workspace.json'), 'utf8'))).toEqual({
    workspace_id: 'my-vault',
    spec_version: '0.9',
    created_at: '2026-05-16T14:00:00.000Z',
    extensions: [],
  });
  expect(readFileSync(join(root, '.gitignore'), 'utf8').split('\n').slice(0, 4)).toEqual([
    '/.ssss/coordination/',
    '/.ssss/derived/',
    '/.ssss/history/',
    '/.ssss-intents/',
  ]);
  expect(loadWorkspace(root)).toMatchObject({ root, file: { workspace_id: 'my-vault' } });
});

test('init refuses an existing vault, and a log that lost its workspace file, and changes nothing', () => {
  const root = newVault();
  put(root, '.ssss/events/00000001.jsonl', '{}\n');
  const before = treeOf(root);
  expect(() => initWorkspace({ root, now })).toThrow(expect.objectContaining({ code: 'vault_exists' }));
  expect(treeOf(root)).toEqual(before);
  rmSync(join(root, '.ssss/workspace.json'));
  expect(() => initWorkspace({ root, now })).toThrow(/restore that file/);
});

test('init keeps what stands in the directory and adds only the missing lines to .gitignore', () => {
  const root = scratch();
  put(root, 'notes.md', 'mine\n');
  put(root, '.gitignore', 'node_modules\n.ssss-intents');
  initWorkspace({ root, workspaceId: 'ws acme/1', now });
  expect(readFileSync(join(root, 'notes.md'), 'utf8')).toBe('mine\n');
  expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe(
    'node_modules\n.ssss-intents\n/.ssss/coordination/\n/.ssss/derived/\n/.ssss/history/\n',
  );
  expect(loadWorkspace(root).file.workspace_id).toBe('ws acme/1');
});

test('init --git makes a repository without hooks and without line-end conversion', () => {
  const root = initWorkspace({ root: join(scratch(), 'v'), git: true, now }).root;
  expect(existsSync(join(root, '.git/HEAD'))).toBe(true);
  expect(existsSync(join(root, '.git/hooks'))).toBe(false);
  expect(readFileSync(join(root, '.gitattributes'), 'utf8')).toBe('* -text\n');
});

test('init makes no vault that could not be opened', () => {
  const root = join(scratch(), 'v');
  for (const workspaceId of ['', '\ud800'])
    expect(() => initWorkspace({ root, workspaceId, now })).toThrow(expect.objectContaining({ code: 'workspace_file_invalid' }));
  expect(() => findVault(root)).toThrow(expect.objectContaining({ code: 'no_vault' }));
});

test('the nearest directory above that holds .ssss/ is the vault', () => {
  const root = newVault();
  mkdirSync(join(root, 'memory/deep'), { recursive: true });
  expect(findVault(join(root, 'memory/deep'))).toBe(root);
  expect(() => findVault(scratch())).toThrow(expect.objectContaining({ code: 'no_vault' }));
});

test.each([
  ['text that is not JSON', '{', 'workspace_file_invalid', /not JSON/],
  [
    'a misspelt key',
    { workspace_id: 'w', spec_version: '0.9', created_at: now.toISOString(), extension: [] },
    'workspace_file_invalid',
    /extension/,
  ],
  [
    'an empty id',
    { workspace_id: '', spec_version: '0.9', created_at: now.toISOString(), extensions: [] },
    'workspace_file_invalid',
    /workspace_id: must not be empty/,
  ],
  [
    'an id without a UTF-8 form',
    `{"workspace_id":"\\ud800","spec_version":"0.9","created_at":"${now.toISOString()}","extensions":[]}`,
    'workspace_file_invalid',
    /lone surrogate/,
  ],
  [
    'a key twice',
    `{"workspace_id":"w","spec_version":"0.9","created_at":"${now.toISOString()}","extensions":[],\n"workspace_id":"other"}`,
    'workspace_file_invalid',
    /'workspace_id' stands twice.*line 2/,
  ],
  ['another version', { spec_version: '1.0', new_key: 1 }, 'unsupported_version', /'1\.0'.*'0\.9'/],
  [
    'an extension path',
    { workspace_id: 'w', spec_version: '0.9', created_at: now.toISOString(), extensions: ['../x'] },
    'workspace_file_invalid',
    /extensions\.0/,
  ],
  [
    'an extension twice',
    { workspace_id: 'w', spec_version: '0.9', created_at: now.toISOString(), extensions: ['a', 'a'] },
    'workspace_file_invalid',
    /twice/,
  ],
])('a workspace file with %s is refused by name', (_, value, code, message) => {
  const root = newVault();
  put(root, '.ssss/workspace.json', value);
  expect(() => loadWorkspace(root)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  expect(() => loadWorkspace(root)).toThrow(/\.ssss\/workspace\.json/);
});

test('only listed extensions are loaded, in their order; the others are findings', () => {
  const root = newVault();
  put(root, '.ssss/extensions/acme.json', acme());
  put(root, '.ssss/extensions/other.json', 'not even JSON');
  expect(loadWorkspace(root).registry.resolve('booking')).toBeNull();
  listed(root, 'acme');
  expect(loadWorkspace(root).registry.resolve('booking')?.qualified).toBe('acme:booking');
  expect(workspaceFindings(root, ['acme'])).toEqual([{ path: '.ssss/extensions/other.json', reason: expect.stringMatching(/not listed/) }]);
});

test('machine state inside the vault is ignored and reported', () => {
  const root = newVault();
  put(root, '.ssss/local/principals.json', '{}');
  expect(workspaceFindings(root, [])).toEqual([{ path: '.ssss/local', reason: expect.stringMatching(/never travels/) }]);
});

test('a listed extension that is missing, a link, a directory or named for another id is refused', () => {
  const root = newVault();
  listed(root, 'acme');
  const file = join(root, '.ssss/extensions/acme.json');
  const refused = (message: RegExp) =>
    expect(() => loadWorkspace(root)).toThrow(
      expect.objectContaining({ code: 'extension_file_invalid', message: expect.stringMatching(message) }),
    );
  refused(/missing/);
  put(root, 'elsewhere.json', acme());
  symlinkSync(join(root, 'elsewhere.json'), file);
  refused(/symbolic link/);
  rmSync(file);
  mkdirSync(file);
  refused(/not a regular file/);
  rmSync(file, { recursive: true });
  put(root, '.ssss/extensions/acme.json', { ...acme(), registry: 'evil' });
  refused(/'evil'/);
});

test('an extensions directory that is a link is refused too', () => {
  const root = newVault();
  listed(root, 'acme');
  const elsewhere = scratch();
  put(elsewhere, 'acme.json', acme());
  rmSync(join(root, '.ssss/extensions'), { recursive: true });
  symlinkSync(elsewhere, join(root, '.ssss/extensions'));
  expect(() => loadWorkspace(root)).toThrow(/reached through the symbolic link/);
});

test('an extension that shadows a core type stops the start and names both sides', () => {
  const root = newVault();
  listed(root, 'acme');
  put(root, '.ssss/extensions/acme.json', { registry: 'acme', version: '1.0.0', primitives: { rule: { portability: 'structural' } } });
  expect(() => loadWorkspace(root)).toThrow(expect.objectContaining({ name: 'RegistryError', code: 'registry_collision' }));
});

test('a registry that differs from its lock stops the start, says what changed, and opens for the commands that mend it', async () => {
  const root = newVault();
  listed(root, 'acme');
  put(root, '.ssss/extensions/acme.json', acme());
  const files = createWorkspaceRegistryFiles(root);
  expect(await files.verify()).toMatchObject({ locked: false });
  const { digest } = await files.lock();
  expect(await files.verify()).toEqual({ digest, locked: true });
  put(root, '.ssss/extensions/acme.json', acme('1.0.0', { append_only: true }));
  expect(() => loadWorkspace(root)).toThrow(expect.objectContaining({ code: 'registry_drift', message: expect.stringMatching(/acme/) }));
  await expect(files.verify()).rejects.toThrow(/registry\.lock\.json/);
  expect(loadWorkspace(root, { acceptRegistryDrift: true }).registry.resolve('booking')?.append_only).toBe(true);
  await files.lock();
  expect(loadWorkspace(root).registry.resolve('booking')?.append_only).toBe(true);
});

test('a damaged lock and a damaged policy stop the start with their place', () => {
  const root = newVault();
  put(root, '.ssss/policy.json', '{"floor": []}');
  expect(() => loadWorkspace(root)).toThrow(
    expect.objectContaining({ code: 'policy_file_invalid', message: expect.stringMatching(/policy\.json.*floor/s) }),
  );
  put(root, '.ssss/policy.json', { lease_required: ['pages/**'] });
  expect(loadWorkspace(root).policy.lease_required).toEqual(['pages/**']);
  put(root, '.ssss/registry.lock.json', '{');
  expect(() => loadWorkspace(root)).toThrow(/registry\.lock\.json/);
});

test('an extension is put in, listed and locked in one step; what does not compose changes nothing', async () => {
  const root = newVault();
  const files = createWorkspaceRegistryFiles(root);
  await files.lock();
  const text = JSON.stringify(acme());
  expect(await files.updateExtension('acme', () => text, { dryRun: true })).toMatchObject({ changed: true });
  expect(existsSync(join(root, '.ssss/extensions/acme.json'))).toBe(false);
  expect(await files.updateExtension('acme', current => current ?? text)).toMatchObject({
    changed: true,
    file: '.ssss/extensions/acme.json',
  });
  expect(await files.updateExtension('acme', current => current ?? '')).toMatchObject({ changed: false });
  expect(loadWorkspace(root).file.extensions).toEqual(['acme']);
  const before = treeOf(root);
  await expect(
    files.updateExtension('evil', () =>
      JSON.stringify({ registry: 'evil', version: '1.0.0', primitives: { booking: { portability: 'structural' } } }),
    ),
  ).rejects.toThrow(/booking/);
  expect(treeOf(root)).toEqual(before);
  expect(readdirSync(join(root, '.ssss'))).not.toContain('registry.lock.next.json');
});

test('a crash in the middle of a registry change leaves a vault that opens, with the old or the new registry', async () => {
  const root = newVault();
  const files = createWorkspaceRegistryFiles(root);
  await files.updateExtension('acme', () => JSON.stringify(acme()));
  await files.lock();
  const lock = join(root, '.ssss/registry.lock.json');
  const oldLock = readFileSync(lock, 'utf8');
  await files.updateExtension('acme', () => JSON.stringify(acme('1.1.0', { append_only: true })));
  const newLock = readFileSync(lock, 'utf8');
  // As it stood between the extension file and the last rename.
  writeFileSync(lock, oldLock);
  expect(() => loadWorkspace(root)).toThrow(/acme/);
  writeFileSync(join(root, '.ssss/registry.lock.next.json'), newLock);
  expect(loadWorkspace(root).registry.resolve('booking')?.append_only).toBe(true);
  put(root, '.ssss/extensions/acme.json', acme());
  expect(loadWorkspace(root).registry.resolve('booking')?.append_only).toBe(false);
  put(root, '.ssss/extensions/acme.json', acme('1.2.0'));
  expect(() => loadWorkspace(root)).toThrow(expect.objectContaining({ code: 'registry_drift' }));
});

test('a registry that drifted is never locked unseen by putting in another extension', async () => {
  const root = newVault();
  const files = createWorkspaceRegistryFiles(root);
  await files.updateExtension('acme', () => JSON.stringify(acme()));
  await files.lock();
  put(root, '.ssss/extensions/acme.json', acme('9.9.9'));
  const other = { registry: 'other', version: '1.0.0', primitives: { thing: { portability: 'structural' } } };
  await expect(files.updateExtension('other', () => JSON.stringify(other))).rejects.toMatchObject({ code: 'registry_drift' });
});

test('extensions that are put in at once are all listed', async () => {
  const root = newVault();
  const ids = ['one', 'two', 'three', 'four'];
  const update = (id: string) =>
    createWorkspaceRegistryFiles(root).updateExtension(id, () =>
      JSON.stringify({ registry: id, version: '1.0.0', primitives: { [`${id}-type`]: { portability: 'structural' } } }),
    );
  await Promise.all(ids.map(update));
  expect(loadWorkspace(root).file.extensions.toSorted()).toEqual(ids.toSorted());
});
