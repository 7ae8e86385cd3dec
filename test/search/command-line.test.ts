import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, workshopAt } from '../cli/sheaf.ts';

const workshop = workshopAt(realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-cli-'))));
const { inVault, sheaf, vault, directory } = workshop;

beforeAll(async () => {
  expect(await sheaf(['init', 'vault', '--sample', '--workspace', 'ws'])).toMatchObject({ status: 0 });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('search prints documents with the place where the words stand, and one object per row for programs', async () => {
  const { stdout, stderr, status } = await inVault('search', 'brakes', 'handover');
  expect(status).toBe(0);
  expect(stdout.split('\n')[0]).toBe(
    'memory/invariants/brakes-before-handover.md  Both brakes are tested before any handover  ssss:memory',
  );
  expect(stderr).toBe('');
  const rows = jsonLines((await inVault('search', 'brakes handover', '--json')).stdout);
  expect(rows[0]).toMatchObject({
    path: 'memory/invariants/brakes-before-handover.md',
    evidence: { lexical: expect.any(Number), semantic: null },
    snippet: { text: expect.any(String), ranges: expect.any(Array) },
  });
});

test('search works in the languages of the vault', async () => {
  for (const [query, path] of [
    ['返却', 'memory/preferences/返却のお知らせ.md'],
    ['定金', 'memory/concepts/定金政策.md'],
    ['kette messen', 'memory/patterns/kette-vor-kassette-pruefen.md'],
    ['kinderanhanger', 'memory/decisions/keine-kinderanhaenger-im-winter.md'],
    ['mediodia', 'memory/facts/horario-de-verano.md'],
    ['رمضان', 'memory/facts/ramadan-hours.md'],
  ] as const) {
    const rows = jsonLines((await inVault('search', query, '--json')).stdout);
    expect(rows[0]?.path, query).toBe(path);
  }
});

test('filters, facets and limits are options, and what was left out is said', async () => {
  const rows = jsonLines((await inVault('search', 'kettle', '--type', 'memory', '--in', 'memory/lore/', '--json')).stdout);
  expect(rows.map(row => row.path)).toEqual(['memory/lore/the-kettle.md']);
  expect((await inVault('search', 'kettle', '--limit', '1')).stderr).toMatch(/^1 of \d+; more with --limit\n$/);
  const facets = jsonLines((await inVault('search', 'kettle', '--facets', '--json')).stdout);
  expect(facets).toContainEqual({ facet: 'type', value: 'ssss:memory', count: expect.any(Number) });
  expect(jsonLines((await inVault('search', 'rental', '--private', '--type', 'thread', '--json')).stdout)[0]).toMatchObject({
    type: 'ssss:thread',
    portability: 'tenant_private',
  });
});

test('what cannot be found is answered with the reason, never with an error', async () => {
  for (const query of ['"', '*', ' ', '()', '-x']) {
    expect(await inVault('search', '--', query)).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('nothing to search for'),
    });
  }
  expect((await inVault('search', 'AND OR NOT xyzzy')).status).toBe(0);
  expect((await inVault('search', 'xyzzy')).stderr).toContain('no embedding model is configured');
  expect(await inVault('search', 'a', '--type', 'nonsense')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('[invalid_request]'),
  });
});

test('stored text cannot write to the terminal', async () => {
  writeFileSync(
    join(vault, 'evil.md'),
    '---\ntype: rule\ntitle: "evil \\e[31mred"\ndescription: d\ntimestamp: 2026-01-01T00:00:00Z\nname: n\n---\nevil \x1b]0;owned\x07 \u202e text\n',
  );
  const { stdout } = await inVault('search', 'evil', '--in', 'evil');
  expect(stdout).toContain('\\x1b');
  expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u202e]/);
  rmSync(join(vault, 'evil.md'));
});

test('graph draws what leads to a document and what it leads to', async () => {
  const { stdout } = await inVault('graph', 'memory/invariants/brakes-before-handover.md');
  expect(stdout).toMatch(/^\S+ +wiki → +memory\/invariants\/brakes-before-handover\.md$/m);
  const graph = JSON.parse((await inVault('graph', 'memory/invariants/brakes-before-handover.md', '--depth', '2', '--json')).stdout);
  expect(graph.nodes[0]).toMatchObject({ path: 'memory/invariants/brakes-before-handover.md', distance: 0 });
  expect(await inVault('graph', 'rules/none.md')).toMatchObject({ status: 1, stderr: expect.stringContaining('[not_found]') });
});

test('index export prints structural documents, equal bytes each time, and private ones only when asked', async () => {
  const first = await inVault('index', 'export');
  expect(first).toMatchObject({ status: 0, stderr: '' });
  const records = jsonLines(first.stdout);
  expect(new Set(records.map(record => record.portability))).toEqual(new Set(['structural']));
  expect(records.map(record => record.path)).toEqual(records.map(record => record.path as string).toSorted());
  const elsewhere = await sheaf(['index', 'export', '--vault', vault], {
    env: { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Asia/Tokyo' },
  });
  expect(elsewhere.stdout).toBe(first.stdout);
  const all = jsonLines((await inVault('index', 'export', '--private')).stdout);
  expect(all.length).toBeGreaterThan(records.length);
  expect((await inVault('index', 'export', '--as', 'agent:x')).status).toBe(2);
});

test('index export works where no native module can be loaded, and other commands say what is missing', async () => {
  const blocker = join(directory, 'no-native-modules.cjs');
  writeFileSync(
    blocker,
    `const Module = require('node:module');
     const load = Module._load;
     Module._load = function (name, ...rest) {
       if (name === 'better-sqlite3' || name === 'fs-native-extensions') throw Object.assign(new Error("Cannot find module '" + name + "'"), { code: 'MODULE_NOT_FOUND' });
       return load.call(this, name, ...rest);
     };`,
  );
  const env = { NODE_OPTIONS: `--require ${blocker}` };
  const before = listing();
  const exported = await sheaf(['index', 'export', '--vault', vault], { env });
  expect(exported).toEqual(await inVault('index', 'export'));
  expect(listing()).toEqual(before);
  const failed = await sheaf(['ls', '--vault', vault], { env });
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain('sheaf cannot start on this machine:');
  expect(failed.stderr).toContain('npm rebuild');
});

const listing = () =>
  readdirSync(vault, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map(name => [name, statSync(join(vault, name)).mtimeMs]);
