import { mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { initVault, openMemoryVault, openVault } from '#open-vault';
import { runCall } from '../call.ts';
import { type CallName, calls } from '../calls/all-calls.ts';
import type { Vault } from '../vault.ts';

const document = (type: string, title: string, body: string, lines: readonly string[] = []) =>
  [
    '---',
    `type: ${type}`,
    `title: ${JSON.stringify(title)}`,
    'description: D',
    'timestamp: 2026-05-16T14:00:00Z',
    ...lines,
    '---',
    body,
    '',
  ].join('\n');
const rule = (title: string, body: string, lines: readonly string[] = []) => document('rule', title, body, ['name: n', ...lines]);
const memory = (title: string, body: string) =>
  document('memory', title, body, ['slug: m', 'category: facts', 'status: active', 'schema_version: 1', 'x_portability: tenant_private']);

const principal = (...capabilities: string[]) => ({
  id: 'u1',
  kind: 'human' as const,
  workspaceIds: ['ws-memory'],
  capabilities,
  authentication: { provider: 'test', assurance: 'verified' },
});

let keys = 0;
const write = async (vault: Vault, path: string, content: string) => {
  const envelope = { type: 'operation', workspace_id: vault.workspaceId, idempotency_key: `k${keys++}`, path, content };
  expect(await vault.execute(envelope, { principal: vault.localPrincipal() })).toMatchObject({ success: true });
};

const vaultWith = async (documents: Readonly<Record<string, string>>) => {
  const vault = await openMemoryVault();
  onTestFinished(() => vault.close());
  for (const [path, content] of Object.entries(documents)) await write(vault, path, content);
  return vault;
};

/** A vault on disk whose files are written past the contract, as an editor does. */
const vaultOnDisk = async (files: Readonly<Record<string, string>>) => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-search-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const root = join(directory, 'vault');
  await initVault({ root, workspaceId: 'ws' });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  const vault = await openVault({ root, stateDir: join(directory, 'state') });
  onTestFinished(() => vault.close());
  return { vault, root, at: (path: string) => join(root, path) };
};

const pathsOf = async (vault: Vault, query: string, options = {}) => (await vault.search(query, options)).hits.map(hit => hit.path);

const run = async (vault: Vault, caller: unknown, name: CallName, input: unknown): Promise<Record<string, unknown>> => {
  const call = calls[name];
  return call.output.parse(await runCall(call as never, vault, { principal: caller }, input)) as Record<string, unknown>;
};

test('a committed document is found by the next search, with evidence, a snippet and the reasons of the answer', async () => {
  const vault = await vaultWith({ 'rules/tone.md': rule('Tone', 'Write **plainly** and warmly.', ['tags: [voice]', 'locale: en-GB']) });
  const reply = await vault.search('plainly', { facets: true });
  expect(reply).toMatchObject({
    query: 'plainly',
    words: 'all',
    total: 1,
    cursor: null,
    semantic: { state: 'off' },
    facets: { type: [{ value: 'ssss:rule', count: 1 }], tag: [{ value: 'voice', count: 1 }], language: [{ value: 'en-GB', count: 1 }] },
  });
  expect(reply.reasons.map(reason => reason.code)).toEqual(['cross_language_unavailable']);
  const [hit] = reply.hits;
  expect(hit).toMatchObject({
    path: 'rules/tone.md',
    title: 'Tone',
    type: 'ssss:rule',
    portability: 'structural',
    language: 'en-GB',
    timestamp: '2026-05-16T14:00:00.000Z',
    score: 1,
    evidence: { semantic: null },
    snippet: { text: 'Write plainly and warmly.', ranges: [{ start: 6, end: 13 }] },
  });
  expect(hit?.evidence.lexical).toBeGreaterThan(0);
});

test('a private word gives no hit, no count and no facet unless it is asked for', async () => {
  const vault = await vaultWith({ 'memory/m.md': memory('M', 'The password is zebra.'), 'rules/a.md': rule('A', 'Text.') });
  const hidden = await vault.search('zebra', { facets: true });
  expect(hidden).toMatchObject({ total: 0, hits: [], facets: { type: [], tag: [], status: [], language: [] } });
  expect(await pathsOf(vault, 'zebra', { private: true })).toEqual(['memory/m.md']);
  expect(await pathsOf(vault, 'zebra', { language: 'en' })).toEqual([]);
});

test('who may not read a type learns nothing of it: the answer is the same as if it were not there', async () => {
  const open = { 'rules/a.md': rule('A', 'zebra [[m]] [[gone]] [m](/memory/m.md)') };
  const [without, full] = [await vaultWith(open), await vaultWith({ ...open, 'memory/m.md': memory('M', 'zebra [[rules/a]]') })];
  const clerk = principal('ssss:rule:read', 'search:private');
  for (const [name, input] of [
    ['search.query', { q: 'zebra', private: true, facets: true }],
    ['search.query', { q: 'm', private: true, type: 'memory' }],
    ['graph.query', { path: 'rules/a.md', depth: 3, private: true }],
  ] as const) {
    const [one, other] = [await run(without, clerk, name, input), await run(full, clerk, name, input)];
    expect(withoutEvidence(other)).toEqual(withoutEvidence(one));
  }
  await expect(
    run(full, principal('ssss:rule:read', 'ssss:memory:read'), 'search.query', { q: 'zebra', private: true }),
  ).rejects.toMatchObject({
    code: 'forbidden',
  });
  expect(
    await run(full, principal('ssss:rule:read', 'ssss:memory:read', 'search:private'), 'search.query', { q: 'zebra', private: true }),
  ).toMatchObject({ total: 2 });
});

test('a hidden document with the name of one that may be read changes no link in the graph', async () => {
  const open = {
    'rules/a.md': rule('A', '[[twin]] [[tone]] [[m]]', ['relations: [shared.id]']),
    'rules/twin.md': rule('Twin', ''),
    'rules/b.md': rule('Tone', ''),
    'rules/c.md': rule('C', '', ['semantic_id: shared.id']),
  };
  const hidden = memory('Tone', '').replace('slug: m', 'slug: m\naliases: [tone]\nsemantic_id: shared.id');
  const [without, full] = [await vaultWith(open), await vaultWith({ ...open, 'memory/twin.md': hidden })];
  const clerk = principal('ssss:rule:read', 'search:private');
  for (const path of Object.keys(open)) {
    for (const depth of [1, 3]) {
      const ask = { path, depth, private: true };
      expect(await run(full, clerk, 'graph.query', ask)).toEqual(await run(without, clerk, 'graph.query', ask));
    }
  }
  const known = await run(without, clerk, 'graph.query', { path: 'rules/a.md' });
  expect((known.edges as { to: unknown }[]).map(edge => edge.to)).toEqual(['rules/c.md', 'rules/twin.md', 'rules/b.md']);
  // Whoever may read everything is told of every document that may be meant.
  expect((await full.graph('rules/a.md', { private: true }))?.edges.map(edge => edge.state)).toEqual([
    'ambiguous',
    'ambiguous',
    'resolved',
    'resolved',
  ]);
});

/** How rare a word is in the whole vault shows in the number that stands for its fit. */
const withoutEvidence = (answer: Record<string, unknown>) =>
  JSON.parse(JSON.stringify(answer, (key, value) => (key === 'lexical' ? null : value)));

test('pages follow from one another without gaps and without repeats', async () => {
  const vault = await vaultWith(
    Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`rules/r${at}.md`, rule(`R${at}`, `zebra ${'word '.repeat(at)}`)])),
  );
  const all = await pathsOf(vault, 'zebra', { limit: 200 });
  const paged: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await vault.search('zebra', { limit: 7, ...(cursor ? { cursor } : {}) });
    expect(page.total).toBe(25);
    paged.push(...page.hits.map(hit => hit.path));
    cursor = page.cursor;
  } while (cursor !== null);
  expect(paged).toEqual(all);
  const { cursor: other } = await vault.search('zebra', { limit: 7 });
  await expect(vault.search('word', { cursor: other ?? '' })).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a question without words is answered with the reason, and filters that cannot be are refused by name', async () => {
  const vault = await vaultWith({});
  for (const [query, code] of [
    ['', 'empty_query'],
    ['"', 'empty_query'],
    ['*', 'empty_query'],
    ['-zebra', 'only_exclusions'],
  ] as const) {
    expect((await vault.search(query, { facets: true })).reasons[0]?.code).toBe(code);
  }
  for (const [field, options] of [
    ['type', { types: ['nonsense'] }],
    ['since', { since: 'yesterday' }],
    ['limit', { limit: 0 }],
    ['cursor', { cursor: 'x' }],
  ] as const)
    await expect(vault.search('zebra', options)).rejects.toMatchObject({ details: { issues: [{ field }] } });
});

test('files that were removed, renamed or changed behind the back of the index never show, and the limit is filled with live ones', async () => {
  const { vault, at } = await vaultOnDisk({
    'a.md': rule('A', 'zebra'),
    'b.md': rule('B', 'zebra [[a]]'),
    'c.md': rule('C', 'zebra'),
    'd.md': rule('D', 'zebra'),
  });
  expect(await pathsOf(vault, 'zebra')).toHaveLength(4);
  unlinkSync(at('a.md'));
  renameSync(at('c.md'), at('e.md'));
  writeFileSync(at('d.md'), rule('D', 'giraffe'));
  expect((await pathsOf(vault, 'zebra', { limit: 2 })).toSorted()).toEqual(['b.md', 'e.md']);
  expect(await pathsOf(vault, 'giraffe')).toEqual(['d.md']);
  expect((await vault.graph('b.md'))?.edges).toEqual([
    { from: 'b.md', to: null, kind: 'wiki', name: null, target: 'a', state: 'unresolved', candidates: [] },
  ]);
});

test('files that change while the index believes it hears of every change are found out, too', async () => {
  const { vault, at } = await vaultOnDisk(
    Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}.md`, rule(`F${index}`, 'zebra')])),
  );
  const watch = await vault.watch();
  onTestFinished(() => watch.close());
  expect(await pathsOf(vault, 'zebra')).toHaveLength(12);
  for (const name of ['f1.md', 'f2.md', 'f3.md']) unlinkSync(at(name));
  const found = await pathsOf(vault, 'zebra', { limit: 9 });
  expect(found).toHaveLength(9);
  expect(found.filter(path => ['f1.md', 'f2.md', 'f3.md'].includes(path))).toEqual([]);
});

test('the graph shows both ways, bounded, and private documents only when asked for', async () => {
  const vault = await vaultWith({
    'rules/a.md': rule('A', '[[b]] [[m]]', ['relations: [concept.c]']),
    'rules/b.md': rule('B', '[[d]]'),
    'rules/c.md': rule('C', '', ['semantic_id: concept.c']),
    'rules/d.md': rule('D', '[[a]]'),
    'memory/m.md': memory('M', ''),
  });
  const near = await vault.graph('rules/a.md');
  expect(near?.edges.map(edge => [edge.from, edge.to, edge.kind])).toEqual([
    ['rules/a.md', 'rules/c.md', 'relation'],
    ['rules/a.md', 'rules/b.md', 'wiki'],
    ['rules/d.md', 'rules/a.md', 'wiki'],
  ]);
  expect(near?.nodes.map(node => [node.path, node.distance])).toEqual([
    ['rules/a.md', 0],
    ['rules/c.md', 1],
    ['rules/b.md', 1],
    ['rules/d.md', 1],
  ]);
  expect((await vault.graph('rules/a.md', { private: true }))?.nodes.map(node => node.path)).toContain('memory/m.md');
  expect((await vault.graph('rules/a.md', { depth: 2 }))?.edges).toHaveLength(4);
  expect(await vault.graph('rules/a.md', { limit: 1 })).toMatchObject({ more: true, edges: [{}] });
  expect(await vault.graph('rules/none.md')).toBeNull();
});

test('what the search index and the graph hold is compared with the vault', async () => {
  const vault = await vaultWith({ 'rules/a.md': rule('Tone', 'How we speak.', ['tags: [voice]', 'relations: [rules/b.md]']) });
  expect(await vault.index.check()).toEqual([]);
});
